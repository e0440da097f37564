"""给人看的：笔记本的开场、源码、插图、图与表；bertviz 的视图在 `show.views`。"""

from .captions import caption
from .notebook import best_device, figure, setup, show_source
from .plots import heatmap
from .strips import strip
from .tables import table
from .written import samples

__all__ = [
    "best_device",
    "caption",
    "figure",
    "heatmap",
    "samples",
    "setup",
    "show_source",
    "strip",
    "table",
]
