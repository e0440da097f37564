// 语言模型的前向计算：与 course_lib/language_model.py 同名、同序，只是没有批这一维。
//
// 形状字母：N 新位置数，M 已看到的位置数（缓存里的加上新的），D = dModel，h = numHeads，g 几个查询头共用一个键值头，
// d = D/h，F = dFf，V = vocabSize。
// 张量都是一条 Float32Array，最后一维挨在一起：x (N, D) 里第 i 个位置的第 k 个数是 x[i * D + k]；
// 各个头的查询、键、值也不另排，第 i 个位置的第 head 个头是 query[(i * h + head) * d] 起的 d 个数。
globalThis.liveLanguageModel = function ({ linear, row }, config) {
  const { numLayers, dModel, numHeads, numKvHeads, vocabSize, normEps, ropeTheta, maxTokens } = config;
  const dHead = dModel / numHeads, kvWidth = numKvHeads * dHead, group = numHeads / numKvHeads;

  // 均方根归一化：x / √(mean(x²) + ε) · γ，在每个位置自己的 D 个特征上求
  function rmsNorm(x, gamma) {
    const d = gamma.length, y = new Float32Array(x.length);
    for (let start = 0; start < x.length; start += d) {
      let squares = 0;
      for (let k = 0; k < d; k++) squares += x[start + k] ** 2;
      const scale = 1 / Math.sqrt(squares / d + normEps);
      for (let k = 0; k < d; k++) y[start + k] = x[start + k] * scale * gamma[k];
    }
    return y;
  }

  // 各个位置的旋转：位置 p 上，第 i 对特征转过 p · θ^(-2i/d)；写成 cos 与 sin，各 (N, d/2)
  function rotations(positions) {
    const half = dHead / 2, cos = new Float32Array(positions.length * half), sin = new Float32Array(cos.length);
    positions.forEach((position, n) => {
      for (let i = 0; i < half; i++) {
        // 角度也像 torch 里那样是 fp32
        const angle = Math.fround(position * Math.fround(ropeTheta ** ((-2 * i) / dHead)));
        cos[n * half + i] = Math.cos(angle);
        sin[n * half + i] = Math.sin(angle);
      }
    });
    return { cos, sin };
  }

  // x (N, 头数, d)：相邻的两个特征 (a, b) 是一对，转过一个角度
  function rotate(x, { cos, sin }) {
    const half = dHead / 2, heads = (x.length * half) / (cos.length * dHead), y = new Float32Array(x.length);
    for (let pair = 0; pair < x.length / 2; pair++) {
      const turn = Math.floor(pair / (heads * half)) * half + (pair % half), a = x[2 * pair], b = x[2 * pair + 1];
      y[2 * pair] = a * cos[turn] - b * sin[turn];
      y[2 * pair + 1] = a * sin[turn] + b * cos[turn];
    }
    return y;
  }

  // 第 i 个位置的第 head 个查询头给前 i + 1 个位置的权重，写进 weights：softmax(q Kᵀ / √d)
  function attentionRow(query, key, i, head, weights) {
    const q = (i * numHeads + head) * dHead, shared = Math.floor(head / group) * dHead;
    let highest = -Infinity, sum = 0;
    for (let j = 0; j <= i; j++) {
      let score = 0;
      for (let c = 0, k = j * kvWidth + shared; c < dHead; c++, k++) score += query[q + c] * key[k];
      weights[j] = score / Math.sqrt(dHead);
      highest = Math.max(highest, weights[j]);
    }
    for (let j = 0; j <= i; j++) sum += weights[j] = Math.exp(weights[j] - highest);
    for (let j = 0; j <= i; j++) weights[j] /= sum;
  }

  // 分组查询注意力：h 个查询头，每 g 个共用一个键值头；query (M, h, d)，key、value (M, h/g, d)，算第 past 个起的 N 个位置
  function groupedQueryAttention(query, key, value, past, total) {
    const output = new Float32Array((total - past) * dModel), weights = new Float32Array(total);
    for (let i = past; i < total; i++) {
      for (let head = 0; head < numHeads; head++) {
        attentionRow(query, key, i, head, weights);
        const o = (i - past) * dModel + head * dHead, shared = Math.floor(head / group) * dHead;
        for (let j = 0; j <= i; j++) {
          for (let c = 0, v = j * kvWidth + shared; c < dHead; c++, v++) output[o + c] += weights[j] * value[v];
        }
      }
    }
    return output; // (N, D)
  }

  // SwiGLU 的中间层：SiLU(gate) ⊙ up，SiLU(z) = z · σ(z)
  const swiglu = (gate, up) => gate.map((z, i) => (z / (1 + Math.exp(-z))) * up[i]);

  const add = (x, y) => x.map((value, i) => value + y[i]);

  // 这一层的缓存存着转过的键，以后不必再转；查询也存着，只为事后能问任何一个头的权重
  function selfAttn(x, { qProj, kProj, vProj, outProj }, turns, cache, past) {
    const total = past + x.length / dModel;
    cache.query.set(rotate(linear(x, qProj), turns), past * dModel);
    cache.key.set(rotate(linear(x, kProj), turns), past * kvWidth);
    cache.value.set(linear(x, vProj), past * kvWidth);
    return linear(groupedQueryAttention(cache.query, cache.key, cache.value, past, total), outProj);
  }

  // 带门的前馈网络：W_down(SiLU(W_gate x) ⊙ W_up x)
  const ffn = (x, { gateProj, upProj, downProj }) => linear(swiglu(linear(x, gateProj), linear(x, upProj)), downProj);

  // 一层，pre-norm：x ← x + 注意力(norm1(x))，x ← x + 前馈(norm2(x))
  function languageModelLayer(x, layer, ...attention) {
    x = add(x, selfAttn(rmsNorm(x, layer.norm1), layer.selfAttn, ...attention));
    return add(x, ffn(rmsNorm(x, layer.norm2), layer.ffn));
  }

  // 空的缓存：每层的查询、键、值，以及嵌入与各层的输出，都留着 maxTokens 个位置的地方
  function newCache() {
    const floats = (width) => new Float32Array(maxTokens * width);
    const layers = Array.from({ length: numLayers }, () => (
      { query: floats(dModel), key: floats(kvWidth), value: floats(kvWidth) }
    ));
    return { layers, hiddenStates: Array.from({ length: numLayers + 1 }, () => floats(dModel)) };
  }

  // 归一化之后的一个 (D,) → 对词表的分数 (V,)；矩阵就是词元的嵌入
  const head = (hidden, model) => linear(hidden, model.tokens);

  // ids 是从头到尾的全部，只算缓存里还没有的那些位置，从 past 起；隐藏状态都写进缓存，第 0 个是嵌入
  function forward(ids, model, cache, past = 0) {
    const { layers, hiddenStates } = cache, fresh = ids.slice(past);
    const turns = rotations(fresh.map((_, n) => past + n));
    let x = new Float32Array(fresh.length * dModel);
    fresh.forEach((id, n) => x.set(row(model.tokens, id), n * dModel));
    hiddenStates[0].set(x, past * dModel);
    model.layers.forEach((layer, number) => {
      x = languageModelLayer(x, layer, turns, layers[number], past);
      hiddenStates[number + 1].set(x, past * dModel);
    });
  }

  // 第 position 个位置在第 depth 层之后的隐藏状态，读成对词表的分数；depth = numLayers 就是模型的答案
  function read(position, depth, model, { hiddenStates }) {
    const hidden = hiddenStates[depth].subarray(position * dModel, (position + 1) * dModel);
    return head(rmsNorm(hidden, model.norm), model);
  }

  return {
    rmsNorm, rotations, rotate, attentionRow, groupedQueryAttention, swiglu, selfAttn, ffn, languageModelLayer,
    newCache, head, forward, read,
  };
};
