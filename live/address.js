// 几页共用的：面板的状态与网址。改了就写进 # 后面（那一段浏览器不发给网站），网址变了就换上；写着到哪一节（at），就到那一节。
globalThis.LiveAddress = class LiveAddress {
	static fields = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

	// 到某一节去的网址：那一节的名字；写坏了的哪一节也不是
	static section() {
		try {
			return decodeURIComponent(location.hash.slice(1));
		} catch {
			return undefined;
		}
	}

	// given：网址里没有状态时的；toState、toFragment：字段与状态、状态与网址怎样互换；
	// sign：有这个字段，网址里就有状态；writes：网址归不归这个面板写；onEnter()：换上了网址里的状态；onArrive()：点了这样的链接，滚到了面板
	constructor({ block, given, toState, toFragment, sign = "text", writes = true, onEnter, onArrive = () => {} }) {
		const address = writes ? LiveAddress.fields() : {};
		Object.assign(this, { block, toState, toFragment, sign, writes, onEnter, onArrive });
		this.kept = sign in address; // 网址里有没有状态
		this.at = address.at;
		this.state = toState(this.kept ? address : given);
		if (!writes) return;
		addEventListener("hashchange", () => this.follow());
		addEventListener("load", () => this.goToSection());
	}

	change(part) {
		Object.assign(this.state, part);
		this.at = undefined;
	}

	// anew：另起一条历史，后退就回到这之前
	remember(anew = false) {
		if (!this.writes) return;
		this.kept = true;
		const fragment = this.toFragment(this.state, this.at);
		history[anew && fragment !== location.hash ? "pushState" : "replaceState"]({ live: true }, "", fragment);
		history.scrollRestoration = this.at ? "manual" : "auto"; // 写着哪一节，就到那一节，不必浏览器去找原来的高度
	}

	// 换成一个例句、另一种写法：原来的后退就找得回来
	enter(state) {
		this.remember();
		this.change(state);
		this.remember(true);
		this.onEnter();
	}

	// 写着状态的，换上；是到某一节去的，把状态再写回去
	follow() {
		const address = LiveAddress.fields();
		if (!(this.sign in address)) {
			this.at = LiveAddress.section();
			if (this.kept) this.remember();
			return;
		}
		const returned = history.state?.live; // 前进、后退回到的地方
		const state = this.toState(address),
			same = this.toFragment(state) === this.toFragment(this.state);
		this.at = address.at;
		if (!same) {
			this.state = state;
			this.onEnter();
		}
		if (returned) return this.goToSection();
		this.block.scrollIntoView();
		this.onArrive();
	}

	goToSection() {
		document.getElementById(this.at)?.scrollIntoView();
	}

	// 复制此刻的链接：一个按钮，与按了之后的一句话
	copier() {
		const { html } = LiveMarks;
		const button = html("button", { type: "button", class: "live-copy" }, "复制链接"),
			said = html("span", { role: "status" });
		button.addEventListener("click", async () => {
			this.remember();
			const copied = await navigator.clipboard?.writeText(location.href).then(
				() => true,
				() => false,
			);
			said.textContent = copied ? "复制好了。" : "浏览器不让复制，请到地址栏里去抄。"; // 没有加密的网站就不让
			setTimeout(() => (said.textContent = ""), 4000);
		});
		return html("span", { class: "live-copying" }, button, said);
	}
};
