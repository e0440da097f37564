PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
READY := .venv/ready
# 简体在 _build/html/，繁体在 _build/html/zh-TW/；make book BOOK_LANG=zh-TW 只成其中一种
BOOK_LANG ?= zh-CN zh-TW

.DEFAULT_GOAL := book
.PHONY: book test lint serve format repo lock clean bench-pages

# 成书：第一次会建 .venv 并装好 requirements.txt，之后只在它变了时重装
book: $(READY)
	for lang in $(BOOK_LANG); do \
	  BOOK_LANG=$$lang $(BIN)/jupyter-book build . --warningiserror --keep-going || exit; \
	done
	@echo
	@echo "书在 $(CURDIR)/_build/html/index.html"

# 全部测试：库、各章（nbmake）、成书的网页（浏览器）
test: book
	$(BIN)/pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# 量一量网页的重量与快慢，写进 bench/pages.md
bench-pages: book
	PYTHONPATH=tests $(BIN)/python bench/pages.py

serve: book
	@echo "http://localhost:$(PORT)/ （Ctrl+C 结束）"
	@$(BIN)/python -m http.server $(PORT) --bind localhost --directory _build/html

# 把代码与笔记本整理成统一的格式，并去掉输出
format: $(READY)
	$(BIN)/ruff check --fix-only -q .
	$(BIN)/ruff format -q .
	$(BIN)/python _ext/notebook_form.py

# 换一个公开地址（复刻本课时用）：make repo URL=https://github.com/名字/仓库
repo: $(READY)
	$(BIN)/python _ext/notebook_form.py --repo "$(URL)"

# 重新锁定 requirements.txt
lock:
	rm -rf _build/lock && $(PYTHON) -m venv _build/lock
	_build/lock/bin/pip install torch==2.13.0 -e '.[book,test]'
	_build/lock/bin/pip freeze --exclude-editable | sed 's/+cpu$$//' > requirements.txt
	rm -rf _build/lock

clean:
	rm -rf _build

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "需要 Python 3.11 或更新的版本")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --progress-bar on -r requirements.txt
	$(BIN)/pip install --no-deps -e .
	touch $@
