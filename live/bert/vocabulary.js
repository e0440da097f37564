// 整张词表（vocab.txt 的文字）：要用时才取，取一次就留着，没有取成就下次再取。
//
// 与 engine.js 取数据一样：经 http 用 fetch；从 file:// 打开时浏览器不许，数据另有一份写成 base64 的脚本。
globalThis.liveVocabulary = (() => {
  const folder = new URL("data/bert/", new URL(document.currentScript.dataset.root, document.baseURI));
  const decode = (base64) => new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  let arriving = null;

  async function download() {
    const response = await fetch(new URL("vocab.txt", folder));
    if (!response.ok) throw Error(response.status);
    return response.text();
  }

  const readScript = () =>
    new Promise((resolve, reject) => {
      const live = (globalThis.LiveBert ??= {}), others = live.deliver;
      live.deliver = (name, base64) => (name === "vocab.txt" ? resolve(decode(base64)) : others?.(name, base64));
      const script = document.createElement("script");
      script.src = new URL("vocab.txt.js", folder);
      script.onerror = reject;
      script.onload = () => script.remove();
      document.head.append(script);
    });

  return () =>
    (arriving ??= (folder.protocol === "file:" ? readScript() : download()).catch(() => {
      arriving = null;
      throw Error("取不到词表，请看看网络是否连着，再打一个字试试。");
    }));
})();
