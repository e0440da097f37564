# 常用的是 book、check、check-changed 与 test；每个目标的上面一行说它做什么。
# 安装、检查、打包的脚本在 tools/，给老师的在 teach/，CI 独用的在 .ci/，成书的代码在 _ext/，测试在 tests/（library、text、book、browser），量快慢的在 bench/。
# 在 GitHub 上，.github/workflows/ 只调用这里的目标与 .ci/run。

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
READY := .venv/ready
# 装哪一份清单：CI 用带散列的 .ci/requirements-hashed.txt
REQUIREMENTS ?= requirements.txt
# CPU 版 torch 的源；不给就由 pip 的设置决定，Linux 上多半是好几 GB 的 CUDA 版
TORCH_INDEX ?=
# 几个进程一起测；一个文件里的测试总在同一个进程里，成书与浏览器各开一次；按文件名的次序，慢的才不会都剩在最后
PYTEST = OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/pytest
PARALLEL = -n logical --dist loadfile --no-loadscope-reorder
# 独自运行各个笔记本时用哪几套版本，见 tools/versions.py
SETS ?= oldest locked colab newest
# 带去断网的教室的，另外还要哪些包；它们没有锁定
ALSO ?= jupyterlab
# 只改坏这几处：make mutate MUTANTS='course_lib.attention*'
MUTANTS ?=
# 别人给的字（标签名、仓库名、地址）只经环境变量交给命令，写作 $$名字：写作 $(名字) 就成了命令的一部分，会被执行
export PORT REQUIREMENTS TORCH_INDEX SETS ALSO MUTANTS

# 装的时候不编译，第一次 import 时编译好存下；不许存，每个进程就都要把 torch 与 transformers 重新编译一遍，多花八秒
unexport PYTHONDONTWRITEBYTECODE

# 网页的脚本在这几处
SCRIPTS := live course_lib/show/explorables _ext

# 一个环境的包装在哪个文件夹里
SITE = import sysconfig; print(sysconfig.get_path("purelib"))

.DEFAULT_GOAL := book
# 每一步自己会用满各个核；先看有没有浏览器，再装，也要按次序
.NOTPARALLEL:
.PHONY: bands book check check-changed test rest test-all test-thorough test-offline test-elsewhere test-gpu test-versions browser offline audit links lint serve format corpus repo at-home weekly-news lock clean bench bench-language-model bench-pages bench-training bench-chapters mutate teach archive wheelhouse release pdf snapshots

# 成书：第一次会建 .venv 并装好 requirements.txt，之后只在它变了时重装
# 简体在 _build/html/，繁体在 _build/html/zh-TW/；make book BOOK_LANG=zh-TW 只成其中一种
# make book LIVE_LLM=0：书里不带大语言模型的数据，小 130 MB；“打开一个大语言模型”那一页照样有，只是打不开模型
# make book LIVE_QWEN=1：那一页另带一个懂中文的，大 400 MB；没有 Qwen2.5-Coder-0.5B-Instruct 就先去取
# 有警告就不成；警告夹在几千行之间，所以末尾再说一遍
book: SHELL := bash
book: $(READY)
	mkdir -p _build; set -f; for lang in $${BOOK_LANG:-zh-CN zh-TW}; do \
	  BOOK_LANG=$$lang $(BIN)/jupyter-book build . --warningiserror --keep-going 2> >(tee _build/warnings.txt >&2) \
	    || { echo "书没有成，因为："; grep -aE "WARNING|ERROR|Error" _build/warnings.txt; exit 1; }; \
	done
	@echo
	@echo "书在 $(CURDIR)/_build/html/index.html"

# 不到一分钟：格式，以及不另起进程、不要 hub、不要成书与浏览器的测试
check: export LEFT_OUT = $(words $(wildcard chapters/*.ipynb)) 个笔记本，tests/book 与 tests/browser（make test）
check: lint
	$(PYTEST) $(PARALLEL) $(if $(AWAKE),--awake) -m 'not subprocess and not thorough' tests/library tests/text

# 不到五分钟：make check，以及与 main 相比改过的章、练习、网页，见 tools/changed.py
check-changed: check
	$(BIN)/python -m tools.changed

# 先查最快知道的：格式、文字、库；再由 nbmake 运行各章，改过的在前，用它们的输出成书；末了测成书的网页（浏览器）
# 守着的房间没有变的测试睡着，见 tests/sleeping.py；make test AWAKE=1 一个也不睡
test: browser check
	$(PYTEST) $(PARALLEL) --for-book --maxfail=3 chapters
	$(MAKE) book
	$(PYTEST) $(PARALLEL) $(if $(AWAKE),--awake) --after-check tests

# 守着房间的测试都跑一遍，全都通过的文件从此睡着，到它的房间变了为止；写下的 tests/asleep.json 要提交
rest: browser book
	$(PYTEST) $(PARALLEL) --put-to-sleep -m 'guards and not thorough' tests

# 把成好的两本书印成 PDF：各一份 A4，在 _build/pdf/，由测网页的浏览器来印；约五分钟
pdf: browser book
	PYTHONPATH=_ext $(BIN)/python -m course_book.printing

# 测网页要用浏览器：先看有没有，没有就装，装不上就停在这里
browser:
	$(firstword $(wildcard $(BIN)/python) $(PYTHON)) -m tools.chromium

# 连同费时的：标了 thorough 的测试、变异测试、四套版本上的每一个笔记本
test-all: export AWAKE = 1
test-all: test test-thorough test-elsewhere mutate test-versions

# 只跑标了 thorough 的：各章重新执行一遍，整班的作业，印好的 PDF；它们费时，一个测试的时限放宽几倍
test-thorough: pdf
	$(PYTEST) $(PARALLEL) --awake --timeout 1500 -m thorough

# 重抄可以动手的图上读者看得到的字：有意改了图之后，再看 git diff 里改的是不是都想改
snapshots: export COURSE_SNAPSHOTS = 1
snapshots: browser $(READY)
	$(PYTEST) tests/browser/test_explore_states.py -k page_says

# 换一种算法再跑各章：向量指令与矩阵乘法都用最老的，末几位就与别的机器一样地不同；断言在那里也要成立
test-elsewhere: export ATEN_CPU_CAPABILITY = default
test-elsewhere: export MKL_CBWR = COMPATIBLE
test-elsewhere: $(READY)
	$(PYTEST) $(PARALLEL) chapters

# 有显卡的机器：库的测试与每个笔记本，CUDA 不在就失败
test-gpu: $(READY)
	$(BIN)/python -c 'import sys, torch; torch.cuda.is_available() or sys.exit("这台机器上没有可用的 CUDA。")'
	COURSE_DEVICE=cuda $(PYTEST) tests/library/test_devices.py chapters

# 每个笔记本独自一个文件，课程只从 wheel 装来；成绩记进 bench/versions.csv
test-versions:
	set -f; $(PYTHON) -m tools.versions $$SETS

# 锁定的依赖里有没有已知的漏洞；查不到的一个也算失败
audit:
	$(PYTHON) -m venv _build/audit && _build/audit/bin/pip install -q pip-audit
	_build/audit/bin/pip-audit --strict --disable-pip --require-hashes -r .ci/requirements-hashed.txt

# 书里指向别处的链接还在不在
links: $(READY)
	$(BIN)/jupyter-book build . --builder linkcheck

# 带得走的书：每种文字一个 zip，解开双击就能读，PDF 也在里面，放在 _build/archive/；LIVE_LLM=0 小 97 MB
archive: book pdf
	set -f; $(BIN)/python -m tools.archive $$BOOK_LANG

# 断网的教室要的一切：锁定的包、torch、三个模型、课程自己，约 780 MB，在 _build/wheelhouse/；怎样装，写在里面
wheelhouse: $(READY)
	set -f; $(BIN)/python -m tools.wheelhouse --torch-index "$$TORCH_INDEX" --also $$ALSO

# 把带得走的书与 PDF 连同它们的 SHA-256 放到 GitHub 的一次发布里：make release TAG=v1.0；要有 gh，并且登录过
release:
	$(PYTHON) -m tools.release "$$TAG"

# 装好之后关上网络，成书与全部测试都在断网时跑一遍（Linux）
test-offline: offline browser $(READY)
	.ci/offline $(MAKE) test

# 关不关得上网络
offline:
	.ci/offline true

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/oxfmt --check $(SCRIPTS)
	$(BIN)/oxlint --deny-warnings -A no-useless-spread -A no-cond-assign -A no-unused-expressions $(SCRIPTS)
	$(BIN)/zizmor --offline --quiet .github/workflows
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

# 量一量编码器有多快、占多少内存，写进 bench/encoder.md，并画好书里的两幅图；机器要闲着，几分钟
bench: $(READY)
	$(BIN)/python bench/encoder.py
	PYTHONPATH=figures/src $(BIN)/python bench/speed.py

# 量一量大语言模型写得多快、占多少内存，与 transformers 的 generate 比，写进 bench/language_model.md；约九分钟
bench-language-model: $(READY)
	$(BIN)/python bench/language_model.py

# 量一量网页的重量与快慢，写进 bench/pages.md
bench-pages: book
	PYTHONPATH=.:tests:_ext $(BIN)/python bench/pages.py

# 量一量网页里训练一步要多久，与 PyTorch 比，一页占多少内存，写进 bench/training.md；三五分钟
bench-training: book
	PYTHONPATH=.:tests:_ext $(BIN)/python bench/training.py

# 各章执行了多久，由慢到快，写进 bench/chapter_times.md；要数得准：make clean，再 BOOK_WORKERS=1 make bench-chapters
bench-chapters: book
	PYTHONPATH=_ext $(BIN)/python bench/chapter_times.py

# 训练出来的数：用到记录的各章换五个种子各执行一遍，写进 course_lib/records/；make bands CHAPTERS=vision 只记名字里有它的
bands: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m tools.bands $(CHAPTERS)

# 变异测试：库的各部件逐处改坏一点，看测试发现不发现；结果用 mutmut results 与 mutmut show 看，记在 bench/mutation.md
# 它有自己的环境，叠在 .venv 上面：.venv 里的包一变，各章都要重新执行
mutate: $(READY)
	$(BIN)/python -m venv _build/mutate
	$(BIN)/python -c '$(SITE)' > $$(_build/mutate/bin/python -c '$(SITE)')/course.pth
	_build/mutate/bin/pip install -q mutmut==3.8.1
	set -f; OMP_NUM_THREADS=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 _build/mutate/bin/mutmut run --max-children 2 $$MUTANTS

# 给老师的两套笔记本：_build/teach/student/ 没有参考解答，_build/teach/key/ 填好了
teach: $(READY)
	$(BIN)/python -m teach.notebooks

serve: book
	@echo "http://localhost:$$PORT/ （Ctrl+C 结束）"
	@$(BIN)/python -m http.server "$$PORT" --bind localhost --directory _build/html

# 把代码与笔记本整理成统一的格式，并去掉输出
format: $(READY)
	$(BIN)/ruff check --fix-only -q .
	$(BIN)/ruff format -q .
	$(BIN)/oxfmt --write $(SCRIPTS)
	$(BIN)/python -m tools.notebook_form

# 把各章今天的行文写成语言模型的练习材料；换过之后，读它的那一章要重新跑一遍
corpus: $(READY)
	$(BIN)/python -m tools.corpus

# 换一个公开地址（复刻本课时用）：make repo URL=https://github.com/名字/仓库
repo: $(READY)
	$(BIN)/python -m tools.notebook_form --repo "$$URL"

# 在 GitHub 上：写在文件里的地址是不是所在的仓库；只用标准库，装之前就能查
at-home:
	$(PYTHON) -m tools.repository "$$GITHUB_REPOSITORY"

# 每周的那一遍最近哪天跑的，结果怎样；要有 gh，并且登录过，问不到也不算失败
weekly-news:
	@$(PYTHON) -m tools.weekly

# 重新锁定：make lock PACKAGE=transformers 只换这一个与它非换不可的，make lock 全换成最新的；torch 只在点名时才换，不是每个源都有它最新的一版
# requirements.txt 给人读、给人装，.ci/requirements-hashed.txt 另带每个文件的散列
lock:
	$(PYTHON) -m venv _build/lock && _build/lock/bin/pip install -q uv
	grep '^torch==' requirements.txt > _build/lock/torch.txt
	if [ -n "$$PACKAGE" ]; then set -- --upgrade-package "$$PACKAGE"; else set -- --upgrade -c _build/lock/torch.txt; fi; \
	_build/lock/bin/uv pip compile --quiet --all-extras --no-header --no-annotate --generate-hashes \
	  --python-version 3.11.5 pyproject.toml "$$@" -o .ci/requirements-hashed.txt
	sed -n 's/^\([^ ]*==[^ ]*\) .*/\1/p' .ci/requirements-hashed.txt > requirements.txt

clean:
	rm -rf _build

$(READY): $(REQUIREMENTS) pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5) and "需要 Python 3.11.5 或更新的版本")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m tools.install_torch "$$TORCH_INDEX"
	# --no-compile：用到的模块到第一次 import 时才编译，装得快三分之一
	$(BIN)/pip install --no-compile --progress-bar on --no-deps -r "$$REQUIREMENTS"
	$(BIN)/pip install --no-build-isolation -e '.[book,test,build]'
	# 三个内置模型、测试对照用的分词器取到用户的缓存里，之后不用网络
	$(BIN)/python -m course_lib.weights
	$(BIN)/python -m tools.reference_tokenizer
	touch $@
