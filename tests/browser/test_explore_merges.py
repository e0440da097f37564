"""可以动手的图“合并”：每一次合成的、此刻的词表与切成的片段，都与课程库训练出来的相同。"""

from course_lib.tokenization import PREFIX, SPECIAL_TOKENS, longest_match, normalize_words
from course_lib.wordpiece_training import train_wordpiece

OLD = "the teacher teaches, the students listen; the listener asks and the asker listens again and again"
TEXTS = {
    "旧": normalize_words(OLD),
    "新": normalize_words("the student teacher asks the listeners, Xu listens"),
}
LEARNED = list(train_wordpiece([OLD], vocab_size=1000))
START = next(
    i for i, token in enumerate(LEARNED) if token not in SPECIAL_TOKENS and len(token.removeprefix("##")) > 1
)
DATA = {"texts": TEXTS, "special": len(SPECIAL_TOKENS), "shown": 1000}


def move(page, n):
    page.get_by_role("slider").fill(str(n))


def merges(page):
    return int(page.get_by_role("slider").get_attribute("max"))


def said(page):
    return page.locator(".explore-said").inner_text()


def test_merges_are_the_librarys(page):
    """一次合并至多添一个词元：同一段可以由两种拼法合成，那时词表不变。"""
    made = []
    for n in range(1, merges(page) + 1):
        move(page, n)
        piece = page.locator(".explore-said code").nth(2).inner_text()
        made += [piece] if piece not in made else []
        assert f"词表有 {START + len(made)} 个词元" in said(page)
    assert made == LEARNED[START:]
    assert page.get_by_role("button", name="合一次").is_disabled()


def test_both_texts_are_cut_with_the_vocabulary_of_the_moment(page):
    for n in [0, 3, 10]:
        move(page, n)
        vocab = dict.fromkeys(LEARNED[: START + n])
        for line, (name, words) in enumerate(TEXTS.items()):
            cuts = [longest_match(word, vocab) for word in words]
            shown = page.locator(".explore-text").nth(line).locator(".explore-cut").all()
            bits = [word.locator(".explore-bit").all_inner_texts() for word in shown]
            assert bits == [[piece.removeprefix(PREFIX) for piece in cut] for cut in cuts]
            mean = sum(map(len, cuts)) / len(cuts)
            assert page.get_by_text(f"{name}：平均一个词 {mean:.2f} 个词元").count() == 1
        assert ["[UNK]"] in bits  # 新的那一段里有没见过的字母


def test_buttons_and_play(page):
    page.clock.install()
    page.get_by_role("button", name="合一次").click()
    assert said(page).startswith("第 1 次合并")
    page.get_by_role("button", name="退一次").click()
    assert "还没有合并" in said(page)
    page.get_by_role("button", name="播放").click()
    page.clock.run_for(1600)
    assert said(page).startswith("第 3 次合并")
    page.get_by_role("button", name="合一次").click()
    page.clock.run_for(5000)
    assert said(page).startswith("第 4 次合并") and page.get_by_role("button", name="播放").count() == 1
