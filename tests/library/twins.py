"""torch 自带的同类模块，装上我们的权重，好与我们的比。"""

import torch
from torch import nn

from course_lib.attention import MultiHeadAttention
from course_lib.decoder import DecoderLayer
from course_lib.encoder import EncoderLayer


def attention_twin(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    d_model = ours.q_proj.in_features
    theirs = nn.MultiheadAttention(d_model, ours.num_heads, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.q_proj.weight, ours.k_proj.weight, ours.v_proj.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.q_proj.bias, ours.k_proj.bias, ours.v_proj.bias]))
        theirs.out_proj.load_state_dict(ours.out_proj.state_dict())
    return theirs.eval()


def layer_twin(ours: EncoderLayer | DecoderLayer) -> nn.TransformerEncoderLayer | nn.TransformerDecoderLayer:
    decodes = isinstance(ours, DecoderLayer)
    theirs = (nn.TransformerDecoderLayer if decodes else nn.TransformerEncoderLayer)(
        ours.ffn.linear1.in_features,
        ours.self_attn.num_heads,
        ours.ffn.linear1.out_features,
        activation=ours.ffn.activation,
        batch_first=True,
        norm_first=ours.norm_first,
        layer_norm_eps=ours.norm1.eps,
    )
    theirs.self_attn = attention_twin(ours.self_attn)
    if decodes:
        theirs.multihead_attn = attention_twin(ours.cross_attn)
    theirs.linear1.load_state_dict(ours.ffn.linear1.state_dict())
    theirs.linear2.load_state_dict(ours.ffn.linear2.state_dict())
    for name in ("norm1", "norm2", "norm3")[: 2 + decodes]:
        getattr(theirs, name).load_state_dict(getattr(ours, name).state_dict())
    return theirs.eval()
