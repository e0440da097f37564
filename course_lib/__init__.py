"""《解析 Transformer》的随书代码：从零写成、装得下真实 BERT 权重的 Transformer。"""
