"""《解析 Transformer》的随书代码：从零写成、装得下真实 BERT 权重的 Transformer。"""

__version__ = "0.1.0"  # 版本只写在这里；CITATION.cff 照抄它，发布的标签是 v 加上它
