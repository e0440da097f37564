"""给人看的：笔记本的开场、源码、插图与图；bertviz 的视图在 `show.views`。"""

from .notebook import best_device, figure, setup, show_source
from .plots import heatmap

__all__ = ["best_device", "figure", "heatmap", "setup", "show_source"]
