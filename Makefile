# 常用的是 book、check、check-changed 与 test；每个目标的上面一行说它做什么。
# 安装与测试的脚本在 .ci/，成书的代码在 _ext/，测试在 tests/（library、text、book、browser），量快慢的在 bench/。
# 在 GitHub 上，.github/workflows/ 只调用这里的目标与 .ci/run。

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
READY := .venv/ready
# 简体在 _build/html/，繁体在 _build/html/zh-TW/；make book BOOK_LANG=zh-TW 只成其中一种
BOOK_LANG ?= zh-CN zh-TW
# 装哪一份清单：CI 用带散列的 .ci/requirements-hashed.txt
REQUIREMENTS ?= requirements.txt
# CPU 版 torch 的源；不给就由 pip 的设置决定，Linux 上多半是好几 GB 的 CUDA 版
TORCH_INDEX ?=
# 几个进程一起测；一个文件里的测试总在同一个进程里，成书与浏览器各开一次；按文件名的次序，慢的才不会都剩在最后
PYTEST = OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} LEFT_OUT="$(LEFT_OUT)" $(BIN)/pytest
PARALLEL = -n logical --dist loadfile --no-loadscope-reorder
# 独自运行各个笔记本时用哪几套版本，见 .ci/versions.py
SETS ?= oldest locked colab newest
# 带去断网的教室的，另外还要哪些包；它们没有锁定
ALSO ?= jupyterlab
# 只改坏这几处：make mutate MUTANTS='course_lib.attention*'
MUTANTS ?=

# 一个环境的包装在哪个文件夹里
SITE = import sysconfig; print(sysconfig.get_path("purelib"))

.DEFAULT_GOAL := book
# 每一步自己会用满各个核；先看有没有浏览器，再装，也要按次序
.NOTPARALLEL:
.PHONY: book check check-changed test test-all test-thorough test-offline test-gpu test-versions browser offline audit links lint serve format repo at-home lock clean bench bench-language-model bench-pages bench-live bench-chapters mutate teach archive wheelhouse release pdf

# 成书：第一次会建 .venv 并装好 requirements.txt，之后只在它变了时重装
# make book LIVE_LLM=0：书里不带大语言模型的数据，小 130 MB；“打开一个大语言模型”那一页照样有，只是打不开模型
book: $(READY)
	for lang in $(BOOK_LANG); do \
	  BOOK_LANG=$$lang $(BIN)/jupyter-book build . --warningiserror --keep-going || exit; \
	done
	@echo
	@echo "书在 $(CURDIR)/_build/html/index.html"

# 不到一分钟：格式，以及不另起进程、不要 hub、不要成书与浏览器的测试
check: LEFT_OUT = $(words $(wildcard chapters/*.ipynb)) 个笔记本，tests/book 与 tests/browser（make test）
check: lint
	$(PYTEST) $(PARALLEL) -m 'not subprocess and not thorough' tests/library tests/text

# 不到五分钟：make check，以及与 main 相比改过的章、练习、网页，见 .ci/changed.py
check-changed: check
	$(BIN)/python .ci/changed.py

# 全部测试：各章由 nbmake 运行，用它们的输出成书，再测库与成书的网页（浏览器）
test: browser $(READY)
	$(PYTEST) $(PARALLEL) --for-book chapters
	$(MAKE) book
	$(PYTEST) $(PARALLEL) tests

# 把成好的两本书印成 PDF：各一份 A4，在 _build/pdf/，由测网页的浏览器来印；约五分钟
pdf: browser book
	PYTHONPATH=_ext:.ci $(BIN)/python -m course_book.printing

# 测网页要用浏览器：先看有没有，没有就装，装不上就停在这里
browser:
	$(firstword $(wildcard $(BIN)/python) $(PYTHON)) .ci/chromium.py

# 连同费时的：标了 thorough 的测试、变异测试、四套版本上的每一个笔记本
test-all: test test-thorough mutate test-versions

# 只跑标了 thorough 的：其余的种错，各章重新执行一遍，印好的 PDF
test-thorough: pdf
	$(PYTEST) $(PARALLEL) -m thorough

# 有显卡的机器：库的测试与每个笔记本，CUDA 不在就失败
test-gpu: $(READY)
	$(BIN)/python -c 'import sys, torch; torch.cuda.is_available() or sys.exit("这台机器上没有可用的 CUDA。")'
	COURSE_DEVICE=cuda $(PYTEST) tests/library/test_devices.py chapters

# 每个笔记本独自一个文件，课程只从 wheel 装来；成绩记进 bench/versions.csv
test-versions:
	$(PYTHON) .ci/versions.py $(SETS)

# 锁定的依赖里有没有已知的漏洞；查不到的一个也算失败
audit:
	$(PYTHON) -m venv _build/audit && _build/audit/bin/pip install -q pip-audit
	_build/audit/bin/pip-audit --strict --disable-pip --require-hashes -r .ci/requirements-hashed.txt

# 书里指向别处的链接还在不在
links: $(READY)
	$(BIN)/jupyter-book build . --builder linkcheck

# 带得走的书：每种文字一个 zip，解开双击就能读，PDF 也在里面，放在 _build/archive/；LIVE_LLM=0 小 97 MB
archive: book pdf
	$(BIN)/python _ext/archive.py $(BOOK_LANG)

# 断网的教室要的一切：锁定的包、torch、两个模型、课程自己，约 700 MB，在 _build/wheelhouse/；怎样装，写在里面
wheelhouse: $(READY)
	$(BIN)/python .ci/wheelhouse.py --torch-index "$(TORCH_INDEX)" --also $(ALSO)

# 把带得走的书与 PDF 连同它们的 SHA-256 放到 GitHub 的一次发布里：make release TAG=v1.0；要有 gh，并且登录过
release:
	$(PYTHON) .ci/release.py "$(TAG)"

# 装好之后关上网络，成书与全部测试都在断网时跑一遍（Linux）
test-offline: offline browser $(READY)
	.ci/offline $(MAKE) test

# 关不关得上网络
offline:
	.ci/offline true

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/zizmor --offline --quiet .github/workflows
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

# 量一量编码器有多快，与 Hugging Face、torch 自带的比，写进 bench/encoder.md，并写好目标与书里的两幅图；机器要闲着，两个核约十八分钟
bench: $(READY)
	$(BIN)/python bench/encoder.py
	PYTHONPATH=figures/src $(BIN)/python bench/speed.py

# 量一量大语言模型写得多快、占多少内存，与 transformers 的 generate 比，写进 bench/language_model.md；约九分钟
bench-language-model: $(READY)
	$(BIN)/python bench/language_model.py

# 量一量网页的重量与快慢，写进 bench/pages.md
bench-pages: book
	PYTHONPATH=tests:.ci:_ext $(BIN)/python bench/pages.py

# 只量网页里的大语言模型，与 wllama 比，重写 bench/pages.md 的最后一节；要有 npm，机器要闲着，约六分钟
bench-live: $(READY)
	PYTHONPATH=tests:.ci:_ext $(BIN)/python bench/live_llm.py

# 各章执行了多久，由慢到快，写进 bench/chapter_times.md；要数得准：make clean，再 BOOK_WORKERS=1 make bench-chapters
bench-chapters: book
	$(BIN)/python bench/chapter_times.py

# 变异测试：库的各部件逐处改坏一点，看测试发现不发现；结果用 mutmut results 与 mutmut show 看，记在 bench/mutation.md
# 它有自己的环境，叠在 .venv 上面：.venv 里的包一变，各章都要重新执行
mutate: $(READY)
	$(BIN)/python -m venv _build/mutate
	$(BIN)/python -c '$(SITE)' > $$(_build/mutate/bin/python -c '$(SITE)')/course.pth
	_build/mutate/bin/pip install -q mutmut==3.8.1
	OMP_NUM_THREADS=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 _build/mutate/bin/mutmut run --max-children 2 $(MUTANTS)

# 给老师的两套笔记本：_build/teach/student/ 没有参考解答，_build/teach/key/ 填好了
teach: $(READY)
	$(BIN)/python _ext/teach.py

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

# 在 GitHub 上：写在文件里的地址是不是所在的仓库；只用标准库，装之前就能查
at-home:
	$(PYTHON) _ext/repository.py "$(GITHUB_REPOSITORY)"

# 重新锁定：requirements.txt 给人读、给人装，.ci/requirements-hashed.txt 另带每个文件的散列
lock:
	rm -rf _build/lock && $(PYTHON) -m venv _build/lock
	_build/lock/bin/pip install torch==2.13.0 -e '.[book,test,build]'
	_build/lock/bin/pip freeze --exclude-editable | sed 's/+cpu$$//; s/^OpenCC/opencc/' > requirements.txt
	_build/lock/bin/pip install uv
	_build/lock/bin/uv pip compile --quiet --no-deps --no-header --no-annotate --generate-hashes \
	  requirements.txt -o .ci/requirements-hashed.txt
	rm -rf _build/lock

clean:
	rm -rf _build

$(READY): $(REQUIREMENTS) pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5) and "需要 Python 3.11.5 或更新的版本")'
	$(PYTHON) -m venv .venv
	$(BIN)/python .ci/install_torch.py $(TORCH_INDEX)
	# --no-compile：用到的模块到第一次 import 时才编译，装得快三分之一
	$(BIN)/pip install --no-compile --progress-bar on --no-deps -r $(REQUIREMENTS)
	$(BIN)/pip install --no-build-isolation -e '.[book,test,build]'
	# 两个内置模型取到用户的缓存里，之后不用网络
	$(BIN)/python -m course_lib.weights
	touch $@
