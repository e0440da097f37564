"""对话模板：模型的文件里带着的一段 Jinja 程序，把一串消息写成训练时见过的样子；照着执行，不去猜。

模板是别人写的程序，所以放在沙箱里执行；设置与 transformers 的 `apply_chat_template` 相同。
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from jinja2 import TemplateError, meta, nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

# 模板里可以叫出名字的特殊词元
TOKENS = {f"{name}_token" for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")}


class Generation(Extension):
    """`{% generation %}…{% endgeneration %}` 圈出助手写的，训练时用；写成文本，圈不圈一样。"""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("inside"), [], [], body).set_lineno(line)

    def inside(self, caller):
        return caller()


def tojson(value: object, ensure_ascii: bool = False, **options: object) -> str:
    """Jinja 自己的会把 < 写成 \\u003c。"""
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


def raise_exception(message: str):
    """模板不收这样的消息时，自己调用它。"""
    raise TemplateError(message)


SANDBOX = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
)
SANDBOX.filters["tojson"] = tojson
SANDBOX.globals["raise_exception"] = raise_exception
SANDBOX.globals["strftime_now"] = lambda format: datetime.now().strftime(format)


def render(
    template: str | Mapping[str, str],
    messages: Sequence[Mapping[str, str]],
    add_generation_prompt: bool,
    tokens: Mapping[str, str],
) -> str:
    """按对话模板把一串消息写成一个文本。

    参数：template，模板的原文，或者 {名字: 原文}，用其中叫 default 的；messages，每条有 role 与 content；
    add_generation_prompt，再写出助手的开头；tokens，特殊词元的名字与写法，如 `{"bos_token": "<s>"}`。
    错误：没有 default，模板写错了、要用 tokens 里没有的词元，或者它不收这样的消息时，抛出 `ValueError`。
    """
    if not isinstance(template, str):
        if "default" not in template:
            raise ValueError(f"这个模型的对话模板有 {'、'.join(template)}，没有叫 default 的。")
        template = template["default"]
    try:
        if absent := meta.find_undeclared_variables(SANDBOX.parse(template)) & TOKENS - tokens.keys():
            raise TemplateError(f"要用 {'、'.join(sorted(absent))}，分词器里没有写")
        given = {"messages": messages, "add_generation_prompt": add_generation_prompt}
        return SANDBOX.from_string(template).render(given, tools=None, documents=None, **tokens)
    except Exception as error:  # 模板是程序，什么错都出得来
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"对话模板写不出这些消息（{type(error).__name__}：{reason}）。") from None
