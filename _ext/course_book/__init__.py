"""从源文件到网页：文件夹按先后分，读之前、文档树、模板与界面词、写完之后，各管一段，写出的网页不再改动。

每一间屋子是一个 Sphinx 扩展，新的一间写进 ROOMS。
"""

import gc
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = [
    # 它决定书的语言，要在别的之前
    "doctree.traditional_chinese",
    *["before_reading.local_files", "before_reading.execute_chapters"],
    *["before_reading.library_reference", "before_reading.contents"],
    "before_reading.numbers_in_prose",
    *["doctree.attention_picture", "doctree.front_doors", "doctree.chapter_cards", "doctree.reading_paths"],
    *["doctree.bert_previews", "doctree.training_still", "doctree.drawings", "doctree.lesson_plan"],
    *["doctree.addresses", "doctree.setup_cell", "doctree.figures", "doctree.opening"],
    *["doctree.folds", "doctree.guesses", "doctree.cell_kinds"],
    *["doctree.errata_lab", "doctree.conclusions", "doctree.review"],
    *["doctree.explorables", "doctree.exercises", "doctree.markup", "doctree.formulas"],
    *["doctree.plot_descriptions", "doctree.public_links"],
    *["templates.interface", "templates.context", "templates.wayfinding", "templates.live_page"],
    *[
        "after_writing.removed_pages",
        "after_writing.search",
        "after_writing.fonts",
        "after_writing.theme_scripts",
        "after_writing.live_data",
    ],
]


def setup(app):
    # 文档树是几百万个互相指着的小对象，一遍遍地数它们，占去成书的四分之一的时间
    gc.set_threshold(100_000, 20, 50)
    for room in ROOMS:
        import_module(f"{__name__}.{room}").setup(app)
    gc.freeze()  # 载入的各个包，一直都在
    return {"parallel_read_safe": True, "parallel_write_safe": True}
