"""同一个问题，用中文问与用英文问：几种关系，每种几十条，两种写法，各带几个例子；另有几句平常的话，彼此不是译文。

题目是随手写下的，答案有没有写错只管常识；模型答不答得对，由用它的地方去量。
"""

from collections.abc import Sequence
from typing import NamedTuple

LANGUAGES = ("zh", "en")

# 什么也不问的话，两种语言各八句
PLAIN = {
    "zh": (
        "今天天气很好，我们一起去公园里散步，孩子们在草地上跑来跑去。",
        "他昨天晚上没有睡好，因为隔壁的狗一直在叫。",
        "经济的发展离不开教育，教育的发展也离不开经济。",
        "这家饭馆的菜很好吃，但是价格有一点贵。",
        "妈妈让我把桌子上的书放回书架，然后去洗手吃饭。",
        "科学家们发现，海洋的温度比十年前高了许多。",
        "火车晚点了两个小时，乘客们只好在站台上等着。",
        "如果明天下雨，运动会就改到下个星期举行。",
    ),
    "en": (
        "The cat was asleep on the sofa when we came home from the market.",
        "Nobody knew why the train had stopped in the middle of the forest.",
        "My grandmother used to bake bread every Sunday morning.",
        "The committee will publish its report at the end of the month.",
        "Water boils at a lower temperature on top of a high mountain.",
        "He forgot his umbrella and got completely wet on the way to work.",
        "Children learn to speak long before they learn to read.",
        "The old bridge was closed because one of its pillars had cracked.",
    ),
}


class Relation(NamedTuple):
    """一种关系：lines，每种语言几种写法，{x} 是问的，{y} 是答的，答的在末一个冒号之后；items，各条的 (中文问, 中文答, 英文问, 英文答)。"""

    lines: dict[str, tuple[str, ...]]
    items: tuple[tuple[str, str, str, str], ...]


def _items(text: str) -> tuple[tuple[str, str, str, str], ...]:
    return tuple(tuple(word.replace("_", " ") for word in one.split()) for one in text.split("|"))


RELATIONS = {
    "反义词": Relation(
        {
            "zh": ("{x}的反义词：{y}\n", "问：“{x}”的反义词是什么？答：{y}\n"),
            "en": ("Opposite of {x}: {y}\n", 'Q: What is the opposite of "{x}"? A: {y}\n'),
        },
        _items(
            "大 小 big small|高 低 high low|好 坏 good bad|快 慢 fast slow|热 冷 hot cold|新 旧 new old|黑 白 black white|"
            "强 弱 strong weak|男 女 male female|长 短 long short|左 右 left right|上 下 up down|内 外 inside outside|"
            "真 假 true false|早 晚 early late|富 穷 rich poor|东 西 east west|南 北 south north|远 近 far near|软 硬 soft hard|"
            "干 湿 dry wet|正 负 positive negative|增加 减少 increase decrease|成功 失败 success failure|开始 结束 start end|"
            "前 后 front back|爱 恨 love hate|买 卖 buy sell|深 浅 deep shallow|朋友 敌人 friend enemy|问题 答案 question answer|"
            "输入 输出 input output|最大 最小 maximum minimum|安全 危险 safe dangerous|简单 复杂 simple complex|"
            "公开 私有 public private|上升 下降 rise fall|战争 和平 war peace|天堂 地狱 heaven hell|悲伤 快乐 sad happy|"
            "动态 静态 dynamic static|横向 纵向 horizontal vertical"
        ),
    ),
    "类别": Relation(
        {
            "zh": ("{x}属于：{y}\n", "问：{x}是一种什么？答：{y}\n"),
            "en": ("{x} is a kind of: {y}\n", "Q: What kind of thing is {x}? A: {y}\n"),
        },
        _items(
            "玫瑰 花 rose flower|苹果 水果 apple fruit|香蕉 水果 banana fruit|狗 动物 dog animal|猫 动物 cat animal|"
            "胡萝卜 蔬菜 carrot vegetable|白菜 蔬菜 cabbage vegetable|铁 金属 iron metal|铜 金属 copper metal|红色 颜色 red color|"
            "蓝色 颜色 blue color|钢琴 乐器 piano instrument|小提琴 乐器 violin instrument|足球 运动 football sport|"
            "篮球 运动 basketball sport|鲨鱼 鱼 shark fish|老鹰 鸟 eagle bird|麻雀 鸟 sparrow bird|英语 语言 English language|"
            "法语 语言 French language|咖啡 饮料 coffee drink|茶 饮料 tea drink|松树 树 pine tree|蚂蚁 昆虫 ant insect|"
            "蜜蜂 昆虫 bee insect|桌子 家具 table furniture|椅子 家具 chair furniture|医生 职业 doctor profession|"
            "老师 职业 teacher profession|锤子 工具 hammer tool|氧气 气体 oxygen gas|水 液体 water liquid|感冒 疾病 flu disease|"
            "癌症 疾病 cancer disease|火车 交通工具 train vehicle|三角形 形状 triangle shape|北京 城市 Beijing city|"
            "巴黎 城市 Paris city|法国 国家 France country|日本 国家 Japan country|衬衫 衣服 shirt clothing|裤子 衣服 pants clothing|"
            "枪 武器 gun weapon|剑 武器 sword weapon|橡树 树 oak tree|黄金 金属 gold metal|葡萄 水果 grape fruit"
        ),
    ),
    "首都": Relation(
        {
            "zh": ("{x}的首都：{y}\n", "问：{x}的首都是哪里？答：{y}\n"),
            "en": ("Capital of {x}: {y}\n", "Q: What is the capital of {x}? A: {y}\n"),
        },
        _items(
            "中国 北京 China Beijing|法国 巴黎 France Paris|日本 东京 Japan Tokyo|德国 柏林 Germany Berlin|英国 伦敦 England London|"
            "意大利 罗马 Italy Rome|西班牙 马德里 Spain Madrid|俄罗斯 莫斯科 Russia Moscow|韩国 首尔 Korea Seoul|埃及 开罗 Egypt Cairo|"
            "希腊 雅典 Greece Athens|泰国 曼谷 Thailand Bangkok|越南 河内 Vietnam Hanoi|古巴 哈瓦那 Cuba Havana|伊朗 德黑兰 Iran Tehran|"
            "伊拉克 巴格达 Iraq Baghdad|瑞典 斯德哥尔摩 Sweden Stockholm|葡萄牙 里斯本 Portugal Lisbon|奥地利 维也纳 Austria Vienna|"
            "波兰 华沙 Poland Warsaw|美国 华盛顿 America Washington|挪威 奥斯陆 Norway Oslo|丹麦 哥本哈根 Denmark Copenhagen|"
            "芬兰 赫尔辛基 Finland Helsinki|荷兰 阿姆斯特丹 Netherlands Amsterdam|匈牙利 布达佩斯 Hungary Budapest|"
            "爱尔兰 都柏林 Ireland Dublin|比利时 布鲁塞尔 Belgium Brussels|乌克兰 基辅 Ukraine Kiev|捷克 布拉格 Czechia Prague|"
            "黎巴嫩 贝鲁特 Lebanon Beirut|叙利亚 大马士革 Syria Damascus|阿富汗 喀布尔 Afghanistan Kabul|菲律宾 马尼拉 Philippines Manila|"
            "苏格兰 爱丁堡 Scotland Edinburgh|阿根廷 布宜诺斯艾利斯 Argentina Buenos_Aires|土耳其 安卡拉 Turkey Ankara"
        ),
    ),
    "官方语言": Relation(
        {
            "zh": ("{x}的官方语言：{y}\n", "问：{x}人说什么语言？答：{y}\n"),
            "en": ("Official language of {x}: {y}\n", "Q: What language do people in {x} speak? A: {y}\n"),
        },
        _items(
            "中国 中文 China Chinese|法国 法语 France French|德国 德语 Germany German|日本 日语 Japan Japanese|英国 英语 England English|"
            "意大利 意大利语 Italy Italian|西班牙 西班牙语 Spain Spanish|俄罗斯 俄语 Russia Russian|韩国 韩语 Korea Korean|"
            "希腊 希腊语 Greece Greek|越南 越南语 Vietnam Vietnamese|泰国 泰语 Thailand Thai|埃及 阿拉伯语 Egypt Arabic|"
            "葡萄牙 葡萄牙语 Portugal Portuguese|荷兰 荷兰语 Netherlands Dutch|波兰 波兰语 Poland Polish|瑞典 瑞典语 Sweden Swedish|"
            "土耳其 土耳其语 Turkey Turkish|印度 印地语 India Hindi|丹麦 丹麦语 Denmark Danish|芬兰 芬兰语 Finland Finnish|"
            "匈牙利 匈牙利语 Hungary Hungarian|乌克兰 乌克兰语 Ukraine Ukrainian|挪威 挪威语 Norway Norwegian|以色列 希伯来语 Israel Hebrew|"
            "捷克 捷克语 Czechia Czech|蒙古 蒙古语 Mongolia Mongolian"
        ),
    ),
    "大洲": Relation(
        {
            "zh": ("{x}所在的洲：{y}\n", "问：{x}在哪个洲？答：{y}\n"),
            "en": ("Continent of {x}: {y}\n", "Q: Which continent is {x} in? A: {y}\n"),
        },
        _items(
            "法国 欧洲 France Europe|德国 欧洲 Germany Europe|意大利 欧洲 Italy Europe|西班牙 欧洲 Spain Europe|中国 亚洲 China Asia|"
            "日本 亚洲 Japan Asia|印度 亚洲 India Asia|泰国 亚洲 Thailand Asia|越南 亚洲 Vietnam Asia|韩国 亚洲 Korea Asia|"
            "埃及 非洲 Egypt Africa|肯尼亚 非洲 Kenya Africa|南非 非洲 South_Africa Africa|尼日利亚 非洲 Nigeria Africa|"
            "巴西 南美洲 Brazil South_America|阿根廷 南美洲 Argentina South_America|秘鲁 南美洲 Peru South_America|"
            "加拿大 北美洲 Canada North_America|美国 北美洲 America North_America|墨西哥 北美洲 Mexico North_America|"
            "摩洛哥 非洲 Morocco Africa|加纳 非洲 Ghana Africa|波兰 欧洲 Poland Europe|瑞典 欧洲 Sweden Europe|希腊 欧洲 Greece Europe|"
            "智利 南美洲 Chile South_America|哥伦比亚 南美洲 Colombia South_America"
        ),
    ),
}


def ask(
    name: str, language: str, wording: int, examples: Sequence[int], about: Sequence[int]
) -> tuple[str, list[str]]:
    """写成题目：开头是几个答好了的例子，各题接在它后面，停在要答的地方。

    参数：name，`RELATIONS` 里的名字；language，"zh" 或 "en"；wording，第几种写法；examples、about，例子与题目各是第几条。
    返回：(开头, 各题)，把开头与一题接起来，就是模型要读的。
    错误：没有这种关系、语言或写法时，抛出 `ValueError`。
    """
    if name not in RELATIONS or language not in LANGUAGES:
        raise ValueError(
            f"没有“{name}”这种关系或“{language}”这种语言：有的是 {'、'.join(RELATIONS)}；zh、en。"
        )
    relation, side = RELATIONS[name], 2 * LANGUAGES.index(language)
    if not 0 <= wording < len(relation.lines[language]):
        raise ValueError(
            f"没有第 {wording} 种写法：“{name}”有 {len(relation.lines[language])} 种，从 0 数起。"
        )
    line = relation.lines[language][wording]
    shown = [line.format(x=x, y=y) for x, y in (relation.items[i][side : side + 2] for i in examples)]
    cut = line.partition("{y}")[0].rstrip(" ")
    return "".join(shown), [cut.format(x=relation.items[i][side]) for i in about]
