// 这一页的练习：每一格换上编辑框，头一格上面说清这不是真的 torch，章末说做对了几道。
{
	const marks = [...document.querySelectorAll("[data-exercise]")];
	const names = marks.flatMap((mark) => mark.dataset.exercise.split(" "));
	const line = document.createElement("p"),
		count = document.createElement("span");
	const button = Object.assign(document.createElement("button"), { type: "button" });

	function show() {
		const done = names.filter(ExerciseStore.isDone).length;
		count.textContent = ExerciseStore.off
			? "练习做对了几道，这个浏览器里没有记。"
			: `${asked === names.length ? "这一章的" : "这一章能在网页里检查的"} ${names.length} 道练习，做对了 ${done} 道（只记在这个浏览器里）。`;
		button.textContent = ExerciseStore.off ? "从现在起记" : "不记了";
	}

	function mark(name) {
		ExerciseStore.markDone(name);
		show();
	}

	button.addEventListener("click", () => {
		ExerciseStore.off = !ExerciseStore.off;
		show();
	});

	const note = document.createElement("p");
	note.className = "exercise-note";
	note.textContent =
		"下面可以直接写，直接检查，不用装什么，没有网络也行：网页里有一个小小的 Python，和一个照着 torch 仿造的小张量，够做这些练习。" +
		"它不是 torch；遇到它不会的，把这一格复制到 Jupyter 里做。写下的代码只留在这个浏览器里。";
	(marks[0].closest(".task") ? document.querySelector(".task") : marks[0].parentElement).before(note);
	const editors = marks.map((each, number) => new ExerciseEditor(each, { number, onDone: mark }));
	const asked = editors.flatMap(({ checks }) => checks).length;

	line.className = "exercise-progress";
	line.append(count, " ", button);
	document.querySelector(".read-state").before(line);
	show();
}
