;; 线性映射 y = x Wᵀ + b：与 bert.js 里的 plainLinear 是同一个循环，一次 2 个词元 × 4 个输出；
;; 只是 8 个和都一次加上相邻的 4 个 k（f32x4），循环完了再把这 4 份加成一个数。
;;
;; x (n, inputs)、weight (outputs, inputs)、bias (outputs,)、y (n, outputs) 都是内存里的字节位置。
;; n 至少是 2：句子里总有 [CLS] 与 [SEP]。inputs 与 outputs 是 4 的倍数：量化时就是 64 个一组。
(module
  (import "live" "memory" (memory 1))

  ;; 相邻的两个相加：(u0 + u1, u2 + u3, v0 + v1, v2 + v3)；括号前的编号是字节，每 4 个是一个数
  (func $addPairs (param $u v128) (param $v v128) (result v128)
    (f32x4.add
      (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $u) (local.get $v))
      (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $u) (local.get $v))))

  ;; 四个和，每个还分成 4 份：加成四个数
  (func $addAll (param $u v128) (param $v v128) (param $w v128) (param $z v128) (result v128)
    (call $addPairs
      (call $addPairs (local.get $u) (local.get $v))
      (call $addPairs (local.get $w) (local.get $z))))

  (func (export "linear")
    (param $x i32) (param $weight i32) (param $bias i32) (param $y i32)
    (param $n i32) (param $inputs i32) (param $outputs i32)
    (local $xBytes i32) (local $yBytes i32) (local $o i32) (local $start i32) (local $i i32) (local $k i32)
    (local $w0 i32) (local $w1 i32) (local $w2 i32) (local $w3 i32)
    (local $x0 i32) (local $x1 i32) (local $y0 i32)
    (local $a v128) (local $b v128) (local $w v128)
    (local $a0 v128) (local $a1 v128) (local $a2 v128) (local $a3 v128)
    (local $b0 v128) (local $b1 v128) (local $b2 v128) (local $b3 v128)

    ;; 一个词元的输入、输出各占多少字节；权重矩阵里一个输出的权重也占 xBytes
    (local.set $xBytes (i32.mul (local.get $inputs) (i32.const 4)))
    (local.set $yBytes (i32.mul (local.get $outputs) (i32.const 4)))

    (loop $eachFourOutputs
      (local.set $w0 (i32.add (local.get $weight) (i32.mul (local.get $o) (local.get $xBytes))))
      (local.set $w1 (i32.add (local.get $w0) (local.get $xBytes)))
      (local.set $w2 (i32.add (local.get $w1) (local.get $xBytes)))
      (local.set $w3 (i32.add (local.get $w2) (local.get $xBytes)))

      (local.set $start (i32.const 0))
      (loop $eachTwoTokens
        ;; i = min(start, n - 2)：词元是奇数个时，最后一对与前一对重叠
        (local.set $i (i32.sub (local.get $n) (i32.const 2)))
        (if (i32.lt_u (local.get $start) (local.get $i)) (then (local.set $i (local.get $start))))
        (local.set $x0 (i32.add (local.get $x) (i32.mul (local.get $i) (local.get $xBytes))))
        (local.set $x1 (i32.add (local.get $x0) (local.get $xBytes)))

        (local.set $a0 (v128.const f32x4 0 0 0 0)) (local.set $b0 (v128.const f32x4 0 0 0 0))
        (local.set $a1 (v128.const f32x4 0 0 0 0)) (local.set $b1 (v128.const f32x4 0 0 0 0))
        (local.set $a2 (v128.const f32x4 0 0 0 0)) (local.set $b2 (v128.const f32x4 0 0 0 0))
        (local.set $a3 (v128.const f32x4 0 0 0 0)) (local.set $b3 (v128.const f32x4 0 0 0 0))

        ;; 取来的 6 组数做 8 次乘加；k 以字节计，4 个数是 16 字节
        (local.set $k (i32.const 0))
        (loop $eachFourInputs
          (local.set $a (v128.load (i32.add (local.get $x0) (local.get $k))))
          (local.set $b (v128.load (i32.add (local.get $x1) (local.get $k))))

          (local.set $w (v128.load (i32.add (local.get $w0) (local.get $k))))
          (local.set $a0 (f32x4.add (local.get $a0) (f32x4.mul (local.get $a) (local.get $w))))
          (local.set $b0 (f32x4.add (local.get $b0) (f32x4.mul (local.get $b) (local.get $w))))

          (local.set $w (v128.load (i32.add (local.get $w1) (local.get $k))))
          (local.set $a1 (f32x4.add (local.get $a1) (f32x4.mul (local.get $a) (local.get $w))))
          (local.set $b1 (f32x4.add (local.get $b1) (f32x4.mul (local.get $b) (local.get $w))))

          (local.set $w (v128.load (i32.add (local.get $w2) (local.get $k))))
          (local.set $a2 (f32x4.add (local.get $a2) (f32x4.mul (local.get $a) (local.get $w))))
          (local.set $b2 (f32x4.add (local.get $b2) (f32x4.mul (local.get $b) (local.get $w))))

          (local.set $w (v128.load (i32.add (local.get $w3) (local.get $k))))
          (local.set $a3 (f32x4.add (local.get $a3) (f32x4.mul (local.get $a) (local.get $w))))
          (local.set $b3 (f32x4.add (local.get $b3) (f32x4.mul (local.get $b) (local.get $w))))

          (local.set $k (i32.add (local.get $k) (i32.const 16)))
          (br_if $eachFourInputs (i32.lt_u (local.get $k) (local.get $xBytes))))

        ;; 加上偏置，写下这两个词元的四个输出
        (local.set $y0 (i32.add (local.get $y)
          (i32.add (i32.mul (local.get $i) (local.get $yBytes)) (i32.mul (local.get $o) (i32.const 4)))))
        (local.set $w (v128.load (i32.add (local.get $bias) (i32.mul (local.get $o) (i32.const 4)))))
        (v128.store (local.get $y0)
          (f32x4.add (local.get $w)
            (call $addAll (local.get $a0) (local.get $a1) (local.get $a2) (local.get $a3))))
        (v128.store (i32.add (local.get $y0) (local.get $yBytes))
          (f32x4.add (local.get $w)
            (call $addAll (local.get $b0) (local.get $b1) (local.get $b2) (local.get $b3))))

        (local.set $start (i32.add (local.get $start) (i32.const 2)))
        (br_if $eachTwoTokens (i32.lt_u (local.get $start) (local.get $n))))

      (local.set $o (i32.add (local.get $o) (i32.const 4)))
      (br_if $eachFourOutputs (i32.lt_u (local.get $o) (local.get $outputs))))))
