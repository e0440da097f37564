// 真的还是假的：从页上的清单里一轮抽十题，答了当场说对不对、为什么；没答对的记在这个浏览器里，两种文字的书共用。
{
	const KEY = "transformer-course-review";
	const VERSION = 1;
	const ROUND = 10;

	const stage = document.querySelector(".review");
	const part = stage.querySelector("select");
	const again = stage.querySelector("input");
	const count = stage.querySelector(".review-choose b");
	const steps = stage.querySelector(".review-steps");
	const question = stage.querySelector(".review-question");
	const answer = stage.querySelector(".review-answer");
	const says = [...stage.querySelectorAll("button[value]")];
	const next = stage.querySelector(".review-next");
	const more = stage.querySelector(".review-again");
	const said = stage.querySelector("template").content;
	const groups = [...document.querySelectorAll(".review-part")];

	// 浏览器不许存时，只记到离开这一页
	let missed = new Set();
	const recall = () => {
		try {
			const kept = JSON.parse(localStorage.getItem(KEY));
			if (kept?.version === VERSION) missed = new Set(kept.missed);
		} catch {}
	};
	const keep = () => {
		try {
			localStorage.setItem(KEY, JSON.stringify({ version: VERSION, missed: [...missed] }));
		} catch {}
	};

	const pool = () => {
		const chosen = part.value ? [groups[part.selectedIndex - 1]] : groups;
		return chosen.flatMap((group) => [...group.querySelectorAll(".question")]);
	};
	const shuffled = (items) => {
		const left = [...items];
		for (let i = left.length - 1; i > 0; i--) {
			const j = Math.floor(Math.random() * (i + 1));
			[left[i], left[j]] = [left[j], left[i]];
		}
		return left;
	};

	let deck = []; // 洗好还没有考的
	let round = [];
	let results = []; // 这一轮各题答对没有

	const copies = (item, selector) => [...item.querySelectorAll(selector)].map((each) => each.cloneNode(true));
	const word = (kind) => said.querySelector(`.${kind}`).cloneNode(true);

	const showSteps = () => {
		steps.replaceChildren(
			...round.map((_, i) => {
				const step = document.createElement("li");
				const right = results[i];
				step.textContent = right === undefined ? i + 1 : right ? "✓" : "✗";
				if (right !== undefined) step.className = right ? "right" : "wrong";
				if (i === results.length) step.ariaCurrent = "step";
				return step;
			}),
		);
		count.textContent = pool().filter(({ id }) => missed.has(id)).length;
	};

	const ask = () => {
		const item = round[results.length];
		answer.replaceChildren();
		for (const button of says) {
			button.hidden = !item;
			button.disabled = false;
			button.ariaPressed = "false";
		}
		next.hidden = true;
		more.hidden = Boolean(item) || !round.length;
		if (item) question.replaceChildren(...copies(item, ":scope > p"));
		else if (!round.length) question.replaceChildren(word("none"));
		else {
			const score = word("score");
			const [right, all] = score.querySelectorAll("b");
			right.textContent = results.filter(Boolean).length;
			all.textContent = round.length;
			question.replaceChildren(score);
		}
		question.dataset.id = item?.id ?? "";
		showSteps();
	};

	const judge = ({ currentTarget: button }) => {
		const item = round[results.length];
		const right = item.classList.contains(button.value);
		if (right) missed.delete(item.id);
		else missed.add(item.id);
		keep();
		results.push(right);
		button.ariaPressed = "true";
		for (const each of says) each.disabled = true;
		answer.replaceChildren(word(right ? "right" : "wrong"), ...copies(item, "details > :not(summary)"));
		showSteps();
		next.hidden = false;
		next.focus({ preventScroll: true });
	};

	const begin = () => {
		if (again.checked) deck = shuffled(pool().filter(({ id }) => missed.has(id)));
		else if (!deck.length) deck = shuffled(pool());
		round = deck.splice(0, ROUND);
		results = [];
		ask();
	};
	const choose = () => {
		deck = [];
		begin();
	};

	for (const button of says) button.addEventListener("click", judge);
	next.addEventListener("click", () => {
		ask();
		question.focus();
	});
	more.addEventListener("click", () => {
		begin();
		question.focus();
	});
	part.addEventListener("change", choose);
	again.addEventListener("change", choose);
	addEventListener("storage", () => {
		recall();
		showSteps();
	});

	recall();
	begin();
	stage.hidden = false;
}
