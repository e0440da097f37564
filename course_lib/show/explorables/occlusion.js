// 弄没一个词：没有了它，偏向往哪边动、动多少，一词一条；点一个词，表里是它在各种量法下的数，点一格，就换成那种量法。
// 数：words（N 个词）、seat（看的是第几个）、ways（几种弄没的办法）、rulers（几把尺子）、
// falls（办法 × 尺子 × N：没有了它，偏向退多少，负数是反而进了；seat 那一个不算）、names（退到哪边、进到哪边）、chosen（先看第几个词）。
Explore.define("occlusion", (data, stage) => {
	const { html, fixed, matrix, nearest, walk, freshId } = Explore;
	const { words, seat, ways, rulers, falls, names } = data,
		others = words.map((_, i) => i).filter((i) => i !== seat);
	const top = Math.max(...falls.flat().flatMap((row) => others.map((i) => Math.abs(row[i]))));
	const most = (way, ruler) => others.reduce((best, i) => (falls[way][ruler][i] > falls[way][ruler][best] ? i : best));
	let [way, ruler, chosen] = [0, 0, data.chosen],
		shown;

	const id = freshId();
	const rows = words.map((word, i) =>
		i === seat
			? html("span", { class: "explore-erase explore-seat", role: "presentation" }, html("b", { lang: "en" }, word))
			: html(
					"span",
					{ id: `${id}-${i}`, class: "explore-erase", role: "option", "aria-label": word },
					html("span", { lang: "en" }, word),
					html("i"),
				),
	);
	const leans = rows.map((row) => row.querySelector("i"));
	const said = html("p", { class: "explore-said", "aria-live": "polite" });
	const table = matrix({
		values: falls.map((row) => row.map((all) => all[chosen])),
		rows: ways,
		columns: rulers,
		title: "",
		hue: "grey",
		digits: 3,
		scale: top,
		pick: (i, j) => {
			[way, ruler] = [i, j];
			draw();
		},
	});
	const back = () => html("i", {}, "←"),
		ahead = () => html("i", { class: "explore-ahead" }, "→");
	const title = table.node.querySelector("caption");
	const ends = html(
		"p",
		{ class: "explore-label explore-toward" },
		html("span", {}, html("span", {}, back(), `往${names[0]}`), html("span", {}, `往${names[1]}`, ahead())),
	);
	const list = html(
		"div",
		{ role: "listbox", tabindex: 0, "aria-label": "一个词一行，用方向键一个一个看它的数" },
		rows,
	);
	const pick = (i) => {
		if (i !== chosen) {
			chosen = i;
			draw();
		}
	};
	nearest(
		list,
		() =>
			others
				.map((i) => rows[i].getBoundingClientRect())
				.map((box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2]),
		(k) => pick(others[k]),
		() => others.indexOf(chosen),
		0,
	);
	walk(list, (right, down) =>
		pick(others[Math.min(others.length - 1, Math.max(0, others.indexOf(chosen) + right + down))]),
	);
	// 往哪边、动多少；写出来是零的，没有箭头
	const write = (node, fall) => {
		const size = fixed(Math.abs(fall), 3);
		node.replaceChildren(...(Number(size) === 0 ? [size] : fall < 0 ? [size, ahead()] : [back(), size]));
	};

	const draw = () => {
		const now = falls[way][ruler],
			best = most(way, ruler);
		others.forEach((i) => {
			leans[i].style.setProperty("--size", `${((50 * Math.abs(now[i])) / top).toFixed(1)}%`);
			leans[i].classList.toggle("explore-ahead", now[i] < 0);
			rows[i].classList.toggle("explore-most", i === best);
			rows[i].setAttribute("aria-selected", i === chosen);
		});
		list.setAttribute("aria-activedescendant", `${id}-${chosen}`);
		const moved = `${now[chosen] < 0 ? `往${names[1]}进` : `往${names[0]}退`} ${fixed(Math.abs(now[chosen]), 3)}`;
		said.textContent = `${ways[way]} ${words[chosen]}，按${rulers[ruler]}量，${moved}；退得最多的是 ${words[best]}，${fixed(now[best], 3)}。`;
		const all = falls.flat(),
			thousandths = all.map((row) => Math.round(1000 * row[chosen])); // 写出来是零的，不算退也不算进
		const less = thousandths.filter((x) => x > 0).length,
			more = thousandths.filter((x) => x < 0).length,
			still = all.length - less - more;
		const first = falls.flatMap((row, i) => row.filter((_, j) => most(i, j) === chosen)).length;
		shown = {
			way,
			ruler,
			chosen,
			now: others.map((i) => now[i]),
			best,
			less,
			more,
			first,
			table: all.map((row) => row[chosen]),
		};
		const sides =
			less === all.length
				? "都退"
				: more === all.length
					? "都进"
					: `里，${less} 种退，${more} 种进${still ? `，${still} 种几乎不动` : ""}`;
		title.replaceChildren(
			html("b", { lang: "en" }, words[chosen]),
			`：${all.length} 种量法${sides}${first === all.length ? "，都退得最多" : first ? `；${first} 种里退得最多` : ""}`,
		);
		table.update(
			falls.map((row) => row.map((all) => all[chosen])),
			{ mark: (i, j) => i === way && j === ruler },
		);
		table.cells.forEach((row, i) => row.forEach((cell, j) => write(cell, falls[i][j][chosen])));
	};
	stage.append(
		Explore.beside(
			[html("div", { class: "explore-erased" }, ends, list)],
			[table.node, said, html("p", { class: "explore-label" }, "点一个词，看它；点一格，换一种量法。")],
		),
	);
	draw();
	return { state: () => shown };
});
