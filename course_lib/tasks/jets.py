"""喷注：造出单叉与双叉的喷注。

一个喷注是一组粒子，每个粒子三个数：横动量 pT（GeV），相对喷注轴的方向 Δη 与 Δφ；次序没有意义。
形状字母：B 喷注数，N 每个喷注最多的粒子数。
"""

import math
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

SLOTS = 24  # 一根分叉、一片软辐射至多留这么多粒子
THRESHOLD = 0.5  # GeV，更软的粒子当作没有看见


class Jets(NamedTuple):
    """一批喷注：features (B, N, 3)，填充处是 0；mask (B, N)，True = 真实粒子；labels (B,)，1 = 双叉，0 = 单叉。"""

    features: Tensor
    mask: Tensor
    labels: Tensor


def jets(count: int, seed: int = 0, max_particles: int = 30, radius: float = 0.8) -> Jets:
    """造 count 个喷注，单叉与双叉各半；这是为上课编的玩具，*不是*真正的产生器。

    两类的 pT 都在 400 到 600 GeV 之间均匀分布，都由两根分叉加一片软辐射组成，不同的是两根分叉怎样来。
    双叉：质量 m 为 80.4 或 91.2 GeV（W 或 Z）的粒子衰变，份额 z 在 0.15 到 0.85 之间均匀，两根都像夸克。
    单叉：夸克或胶子放出一个胶子，z 在 0.1 到 0.5 之间服从 dz/z，m 在 30 到 150 GeV 之间服从 dm/m。
    夹角都是 m / (pT √(z(1-z)))，单叉的截在 radius 以内。每根分叉碎成若干粒子，个数的平均正比于 ln pT，
    胶子的多些；粒子偏离分叉轴的横向动量约 1 GeV，所以越软的偏得越开。软辐射平均 5 个，均匀撒在半径之内。
    留下 pT 超过 0.5 GeV 的，按 pT 从大到小取前 max_particles 个，方向相对于按 pT 加权的中心。
    没有的东西：多次辐射、色联系、自旋、粒子的种类、探测器的分辨率、同时发生的其他对撞。

    参数：count，正的偶数；seed，种子，训练与留出要用不同的；max_particles，N；radius，喷注半径 R。
    错误：参数不对时抛出 `ValueError`。
    """
    if count < 2 or count % 2 or max_particles < 1 or not 0 < radius < math.inf:
        raise ValueError(
            f"count={count} 应当是正的偶数，max_particles={max_particles} 与 radius={radius} 应当是正数。"
        )
    rng = np.random.default_rng(seed)
    labels = rng.permutation(count) % 2
    two = labels == 1
    pt = rng.uniform(400, 600, count)
    z = np.where(two, rng.uniform(0.15, 0.85, count), np.exp(rng.uniform(np.log(0.1), np.log(0.5), count)))
    boson = np.where(rng.random(count) < 0.5, 80.4, 91.2)
    mass = np.where(two, boson, np.exp(rng.uniform(np.log(30), np.log(150), count)))
    angle = mass / (pt * np.sqrt(z * (1 - z)))
    angle = np.where(two, angle, np.minimum(angle, radius))
    gluon = ~two & (rng.random(count) < 0.5)
    turn = rng.uniform(0, 2 * np.pi, count)
    first = _prong(rng, (1 - z) * pt, gluon, -z * angle, turn)  # 两根按 pT 加权的中心在原点
    second = _prong(rng, z * pt, ~two, (1 - z) * angle, turn)
    parts = zip(first, second, _soft(rng, count, radius), strict=True)
    pt, eta, phi = (np.concatenate(part, axis=1) for part in parts)
    pt = np.where((np.hypot(eta, phi) < radius) & (pt > THRESHOLD), pt, 0.0)
    for axis in (eta, phi):
        axis -= (pt * axis).sum(axis=1, keepdims=True) / pt.sum(axis=1, keepdims=True)
    order = np.argsort(-pt, axis=1)[:, :max_particles]
    features = np.stack([np.take_along_axis(x, order, axis=1) for x in (pt, eta, phi)], axis=-1)
    features = F.pad(torch.tensor(features, dtype=torch.float32), (0, 0, 0, max_particles - order.shape[1]))
    mask = features[..., 0] > 0
    return Jets(features.masked_fill(~mask[..., None], 0.0), mask, torch.tensor(labels))


def _prong(rng, pt, gluon, distance, turn):
    """一根分叉碎成的粒子：pT、Δη、Δφ，各 (B, SLOTS)；distance 与 turn 是分叉轴离喷注轴多远、朝哪边。"""
    count = 1 + rng.poisson(np.where(gluon, 2.5, 1.6) * np.log(pt))
    share = rng.gamma(0.5, size=(len(pt), SLOTS)) * (np.arange(SLOTS) < count[:, None])
    particles = pt[:, None] * share / share.sum(axis=1, keepdims=True)
    kick = rng.rayleigh(np.where(gluon, 1.2, 0.8)[:, None], share.shape)
    spread, around = kick / np.maximum(particles, THRESHOLD), rng.uniform(0, 2 * np.pi, share.shape)
    eta, phi = ((distance * side)[:, None] for side in (np.cos(turn), np.sin(turn)))
    return particles, eta + spread * np.cos(around), phi + spread * np.sin(around)


def _soft(rng, count, radius):
    shape = count, SLOTS
    particles = rng.exponential(1.5, shape) * (np.arange(SLOTS) < rng.poisson(5, count)[:, None])
    spread, around = radius * np.sqrt(rng.random(shape)), rng.uniform(0, 2 * np.pi, shape)
    return particles, spread * np.cos(around), spread * np.sin(around)
