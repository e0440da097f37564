// 勘误实验室的索引：一条一格，头一次点开的选项记作猜过，猜中的打 ✓；记在这个浏览器里，两种文字的书共用。
{
	const KEY = "transformer-course-errata";
	const VERSION = 1;
	const controls = document.querySelector(".errata-controls");
	const [guessed, , right] = controls.querySelectorAll("b");
	const tiles = [...document.querySelectorAll(".errata-index a")].map((link) => {
		const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
		return {
			link,
			section,
			code: link.querySelector("strong").textContent,
			options: [...section.querySelectorAll(".guess details")],
		};
	});

	// 编号 → 猜的是第几个选项；浏览器不许存时，只记到离开这一页
	let guesses = {};
	const recall = () => {
		try {
			const kept = JSON.parse(localStorage.getItem(KEY));
			guesses = kept?.version === VERSION ? kept.guesses : {};
		} catch {}
	};
	const keep = () => {
		try {
			localStorage.setItem(KEY, JSON.stringify({ version: VERSION, guesses }));
		} catch {}
	};

	const show = () => {
		const marks = tiles.map(({ link, section, code, options }) => {
			const chosen = options[guesses[code]];
			const mark = chosen && (chosen.classList.contains("right") ? "right" : "wrong");
			for (const node of [link, section]) {
				if (mark) node.dataset.guess = mark;
				else delete node.dataset.guess;
			}
			for (const option of options) option.classList.toggle("mine", option === chosen);
			return mark;
		});
		guessed.textContent = marks.filter(Boolean).length;
		right.textContent = marks.filter((mark) => mark === "right").length;
	};

	for (const { code, options } of tiles) {
		options.forEach((option, i) =>
			option.addEventListener("toggle", () => {
				if (!option.open || code in guesses) return;
				guesses[code] = i;
				keep();
				show();
			}),
		);
	}
	const [kind, lesson] = controls.querySelectorAll("select");
	controls.addEventListener("change", () => {
		for (const { link, code } of tiles) {
			const tile = link.closest("li");
			tile.hidden = !(code.startsWith(lesson.value) && (!kind.value || tile.classList.contains(kind.value)));
		}
	});
	controls.querySelector("button").addEventListener("click", () => {
		guesses = {};
		keep();
		for (const option of tiles.flatMap(({ options }) => options)) option.open = false;
		show();
	});
	addEventListener("storage", () => {
		recall();
		show();
	});

	// 检索找来的词在“应当说”里，就不必先猜
	for (const { startContainer } of CSS.highlights?.get("found") ?? []) {
		startContainer.parentElement.closest(".answer")?.parentElement.classList.add("told");
	}
	recall();
	show();
	controls.hidden = false;
}
