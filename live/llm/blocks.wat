;; 量化块乘 fp32：y = x Wᵀ，W 是文件自己的块，乘之前不换成浮点的矩阵，也不再量化一次。
;;
;; 一块是一个输出的 32 个相邻的权重：Q4_1 里 w = d·q + m，q 是 0～15；Q8_0 里 w = d·q，q 是 -128～127。
;; 所以一块里的 Σ w·x = d·Σ q·x + m·Σ x，而 Σ x 与权重无关，blocks.js 每个输入只求一次，放在它的 32 个数之前。
;;
;; x (n, blocks, 33)、y (n, outputs) 是 fp32，weight 是 blocks.js 排好的块，三个都是内存里的字节位置。
;; 四个相邻的输出排在一起：f32x4 的四份就是四个输出，x 的一个数抄成四份去乘，最后不必再把四份相加。
;; 每四个输出、每一块依次是：四个 d；Q4_1 还有四个 m；再是各个 32 位的字，一个字的四份出自四个输出。
;; 相加的次序在两种 Q4_1 里相同，所以一个词元一次算一个还是四个，得到的每一位都一样。
(module
  (import "live" "memory" (memory 1))


  ;; 一个词元：一遍读完全部权重，快慢取决于内存
  (func (export "q4One")
    (param $x i32) (param $weight i32) (param $y i32) (param $blocks i32) (param $outputs i32)
    (local $xi i32) (local $xEnd i32) (local $yEnd i32) (local $wordEnd i32) (local $byteEnd i32)
    (local $word v128) (local $dot v128) (local $sum v128)

    (local.set $xEnd (i32.add (local.get $x) (i32.mul (local.get $blocks) (i32.const 132))))
    (local.set $yEnd (i32.add (local.get $y) (i32.mul (local.get $outputs) (i32.const 4))))
    (loop $eachFourOutputs
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $xi (local.get $x))
      (loop $eachBlock
        (local.set $dot (v128.const f32x4 0 0 0 0))
        (local.set $wordEnd (i32.add (local.get $weight) (i32.const 64)))
        (loop $eachWord
          (local.set $word (v128.load offset=32 (local.get $weight)))
          (local.set $byteEnd (i32.add (local.get $xi) (i32.const 16)))
          ;; 一个字节的低 4 位是块里的第 k 个权重，高 4 位是第 k + 16 个
          (loop $eachByte
            (local.set $dot (f32x4.add (local.get $dot) (f32x4.mul
              (f32x4.convert_i32x4_s (v128.and (local.get $word) (v128.const i32x4 15 15 15 15)))
              (v128.load32_splat offset=4 (local.get $xi)))))
            (local.set $word (i32x4.shr_u (local.get $word) (i32.const 4)))
            (local.set $dot (f32x4.add (local.get $dot) (f32x4.mul
              (f32x4.convert_i32x4_s (v128.and (local.get $word) (v128.const i32x4 15 15 15 15)))
              (v128.load32_splat offset=68 (local.get $xi)))))
            (local.set $word (i32x4.shr_u (local.get $word) (i32.const 4)))
            (local.set $xi (i32.add (local.get $xi) (i32.const 4)))
            (br_if $eachByte (i32.lt_u (local.get $xi) (local.get $byteEnd))))
          (local.set $weight (i32.add (local.get $weight) (i32.const 16)))
          (br_if $eachWord (i32.lt_u (local.get $weight) (local.get $wordEnd))))

        ;; 四个字读完，weight 前进了 64 个字节，xi 前进了 16 个数：d、m 与 Σ x 都在身后
        (local.set $sum (f32x4.add (local.get $sum) (f32x4.add
          (f32x4.mul (v128.load (i32.sub (local.get $weight) (i32.const 64))) (local.get $dot))
          (f32x4.mul (v128.load (i32.sub (local.get $weight) (i32.const 48)))
            (v128.load32_splat (i32.sub (local.get $xi) (i32.const 64)))))))
        (local.set $weight (i32.add (local.get $weight) (i32.const 32)))
        (local.set $xi (i32.add (local.get $xi) (i32.const 68)))
        (br_if $eachBlock (i32.lt_u (local.get $xi) (local.get $xEnd))))
      (v128.store (local.get $y) (local.get $sum))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (br_if $eachFourOutputs (i32.lt_u (local.get $y) (local.get $yEnd)))))

  ;; 四个词元：一份权重取出来用四次，一串词元因此快得多
  (func (export "q4Four")
    (param $x i32) (param $weight i32) (param $y i32) (param $blocks i32) (param $outputs i32)
    (local $x0 i32) (local $x1 i32) (local $x2 i32) (local $x3 i32) (local $xBytes i32) (local $yBytes i32)
    (local $xEnd i32) (local $yEnd i32) (local $wordEnd i32) (local $byteEnd i32)
    (local $word v128) (local $low v128) (local $high v128)
    (local $dot0 v128) (local $dot1 v128) (local $dot2 v128) (local $dot3 v128)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)

    ;; 一个词元的输入、输出各占多少字节
    (local.set $xBytes (i32.mul (local.get $blocks) (i32.const 132)))
    (local.set $yBytes (i32.mul (local.get $outputs) (i32.const 4)))
    (local.set $xEnd (i32.add (local.get $x) (local.get $xBytes)))
    (local.set $yEnd (i32.add (local.get $y) (local.get $yBytes)))
    (loop $eachFourOutputs
      (local.set $x0 (local.get $x))
      (local.set $x1 (i32.add (local.get $x0) (local.get $xBytes)))
      (local.set $x2 (i32.add (local.get $x1) (local.get $xBytes)))
      (local.set $x3 (i32.add (local.get $x2) (local.get $xBytes)))
      (local.set $sum0 (v128.const f32x4 0 0 0 0)) (local.set $sum1 (v128.const f32x4 0 0 0 0))
      (local.set $sum2 (v128.const f32x4 0 0 0 0)) (local.set $sum3 (v128.const f32x4 0 0 0 0))
      (loop $eachBlock
        (local.set $dot0 (v128.const f32x4 0 0 0 0)) (local.set $dot1 (v128.const f32x4 0 0 0 0))
        (local.set $dot2 (v128.const f32x4 0 0 0 0)) (local.set $dot3 (v128.const f32x4 0 0 0 0))
        (local.set $wordEnd (i32.add (local.get $weight) (i32.const 64)))
        (loop $eachWord
          (local.set $word (v128.load offset=32 (local.get $weight)))
          (local.set $byteEnd (i32.add (local.get $x0) (i32.const 16)))
          (loop $eachByte
            (local.set $low
              (f32x4.convert_i32x4_s (v128.and (local.get $word) (v128.const i32x4 15 15 15 15))))
            (local.set $word (i32x4.shr_u (local.get $word) (i32.const 4)))
            (local.set $high
              (f32x4.convert_i32x4_s (v128.and (local.get $word) (v128.const i32x4 15 15 15 15))))
            (local.set $word (i32x4.shr_u (local.get $word) (i32.const 4)))

            (local.set $dot0 (f32x4.add (local.get $dot0)
              (f32x4.mul (local.get $low) (v128.load32_splat offset=4 (local.get $x0)))))
            (local.set $dot1 (f32x4.add (local.get $dot1)
              (f32x4.mul (local.get $low) (v128.load32_splat offset=4 (local.get $x1)))))
            (local.set $dot2 (f32x4.add (local.get $dot2)
              (f32x4.mul (local.get $low) (v128.load32_splat offset=4 (local.get $x2)))))
            (local.set $dot3 (f32x4.add (local.get $dot3)
              (f32x4.mul (local.get $low) (v128.load32_splat offset=4 (local.get $x3)))))

            (local.set $dot0 (f32x4.add (local.get $dot0)
              (f32x4.mul (local.get $high) (v128.load32_splat offset=68 (local.get $x0)))))
            (local.set $dot1 (f32x4.add (local.get $dot1)
              (f32x4.mul (local.get $high) (v128.load32_splat offset=68 (local.get $x1)))))
            (local.set $dot2 (f32x4.add (local.get $dot2)
              (f32x4.mul (local.get $high) (v128.load32_splat offset=68 (local.get $x2)))))
            (local.set $dot3 (f32x4.add (local.get $dot3)
              (f32x4.mul (local.get $high) (v128.load32_splat offset=68 (local.get $x3)))))

            (local.set $x0 (i32.add (local.get $x0) (i32.const 4)))
            (local.set $x1 (i32.add (local.get $x1) (i32.const 4)))
            (local.set $x2 (i32.add (local.get $x2) (i32.const 4)))
            (local.set $x3 (i32.add (local.get $x3) (i32.const 4)))
            (br_if $eachByte (i32.lt_u (local.get $x0) (local.get $byteEnd))))
          (local.set $weight (i32.add (local.get $weight) (i32.const 16)))
          (br_if $eachWord (i32.lt_u (local.get $weight) (local.get $wordEnd))))

        (local.set $low (v128.load (i32.sub (local.get $weight) (i32.const 64)))) ;; d
        (local.set $high (v128.load (i32.sub (local.get $weight) (i32.const 48)))) ;; m
        (local.set $sum0 (f32x4.add (local.get $sum0) (f32x4.add
          (f32x4.mul (local.get $low) (local.get $dot0))
          (f32x4.mul (local.get $high) (v128.load32_splat (i32.sub (local.get $x0) (i32.const 64)))))))
        (local.set $sum1 (f32x4.add (local.get $sum1) (f32x4.add
          (f32x4.mul (local.get $low) (local.get $dot1))
          (f32x4.mul (local.get $high) (v128.load32_splat (i32.sub (local.get $x1) (i32.const 64)))))))
        (local.set $sum2 (f32x4.add (local.get $sum2) (f32x4.add
          (f32x4.mul (local.get $low) (local.get $dot2))
          (f32x4.mul (local.get $high) (v128.load32_splat (i32.sub (local.get $x2) (i32.const 64)))))))
        (local.set $sum3 (f32x4.add (local.get $sum3) (f32x4.add
          (f32x4.mul (local.get $low) (local.get $dot3))
          (f32x4.mul (local.get $high) (v128.load32_splat (i32.sub (local.get $x3) (i32.const 64)))))))
        (local.set $weight (i32.add (local.get $weight) (i32.const 32)))
        (local.set $x0 (i32.add (local.get $x0) (i32.const 68)))
        (local.set $x1 (i32.add (local.get $x1) (i32.const 68)))
        (local.set $x2 (i32.add (local.get $x2) (i32.const 68)))
        (local.set $x3 (i32.add (local.get $x3) (i32.const 68)))
        (br_if $eachBlock (i32.lt_u (local.get $x0) (local.get $xEnd))))
      (v128.store (local.get $y) (local.get $sum0))
      (v128.store (i32.add (local.get $y) (local.get $yBytes)) (local.get $sum1))
      (v128.store (i32.add (local.get $y) (i32.mul (local.get $yBytes) (i32.const 2))) (local.get $sum2))
      (v128.store (i32.add (local.get $y) (i32.mul (local.get $yBytes) (i32.const 3))) (local.get $sum3))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (br_if $eachFourOutputs (i32.lt_u (local.get $y) (local.get $yEnd)))))

  ;; Q8_0 只有词元的嵌入，乘它的多半只有最后一个位置，所以没有四个词元的
  (func (export "q8One")
    (param $x i32) (param $weight i32) (param $y i32) (param $blocks i32) (param $outputs i32)
    (local $xi i32) (local $xEnd i32) (local $yEnd i32) (local $wordEnd i32) (local $byteEnd i32)
    (local $word v128) (local $dot v128) (local $sum v128)

    (local.set $xEnd (i32.add (local.get $x) (i32.mul (local.get $blocks) (i32.const 132))))
    (local.set $yEnd (i32.add (local.get $y) (i32.mul (local.get $outputs) (i32.const 4))))
    (loop $eachFourOutputs
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $xi (local.get $x))
      (loop $eachBlock
        (local.set $dot (v128.const f32x4 0 0 0 0))
        (local.set $wordEnd (i32.add (local.get $weight) (i32.const 128)))
        (loop $eachWord
          (local.set $word (v128.load offset=16 (local.get $weight)))
          (local.set $byteEnd (i32.add (local.get $xi) (i32.const 16)))
          ;; 先移到最高的 8 位，再带着正负号移回来
          (loop $eachByte
            (local.set $dot (f32x4.add (local.get $dot) (f32x4.mul
              (f32x4.convert_i32x4_s
                (i32x4.shr_s (i32x4.shl (local.get $word) (i32.const 24)) (i32.const 24)))
              (v128.load32_splat offset=4 (local.get $xi)))))
            (local.set $word (i32x4.shr_u (local.get $word) (i32.const 8)))
            (local.set $xi (i32.add (local.get $xi) (i32.const 4)))
            (br_if $eachByte (i32.lt_u (local.get $xi) (local.get $byteEnd))))
          (local.set $weight (i32.add (local.get $weight) (i32.const 16)))
          (br_if $eachWord (i32.lt_u (local.get $weight) (local.get $wordEnd))))

        (local.set $sum (f32x4.add (local.get $sum)
          (f32x4.mul (v128.load (i32.sub (local.get $weight) (i32.const 128))) (local.get $dot))))
        (local.set $weight (i32.add (local.get $weight) (i32.const 16)))
        (local.set $xi (i32.add (local.get $xi) (i32.const 4)))
        (br_if $eachBlock (i32.lt_u (local.get $xi) (local.get $xEnd))))
      (v128.store (local.get $y) (local.get $sum))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (br_if $eachFourOutputs (i32.lt_u (local.get $y) (local.get $yEnd)))))

  ;; Q5_0：w = d·(q - 16)，q 的第 5 位另在一个字里，第 k 位归第 k 个权重。一次八个输出：两条加法链互不等待，x 抄一次用两次
  (func (export "q5One")
    (param $x i32) (param $weight i32) (param $y i32) (param $blocks i32) (param $outputs i32)
    (local $other i32) (local $xi i32) (local $xEnd i32) (local $yEnd i32) (local $wordEnd i32) (local $byteEnd i32)
    (local $word0 v128) (local $low0 v128) (local $high0 v128) (local $dot0 v128) (local $sum0 v128)
    (local $word1 v128) (local $low1 v128) (local $high1 v128) (local $dot1 v128) (local $sum1 v128)
    (local $value v128)

    (local.set $xEnd (i32.add (local.get $x) (i32.mul (local.get $blocks) (i32.const 132))))
    (local.set $yEnd (i32.add (local.get $y) (i32.mul (local.get $outputs) (i32.const 4))))
    (loop $eachEightOutputs
      (local.set $other (i32.add (local.get $weight) (i32.mul (local.get $blocks) (i32.const 96))))
      (local.set $sum0 (v128.const f32x4 0 0 0 0)) (local.set $sum1 (v128.const f32x4 0 0 0 0))
      (local.set $xi (local.get $x))
      (loop $eachBlock
        (local.set $dot0 (v128.const f32x4 0 0 0 0)) (local.set $dot1 (v128.const f32x4 0 0 0 0))
        ;; 移到这里，每读一个字节只要再移一位：要的那一位总在第 4 位上
        (local.set $low0 (i32x4.shl (v128.load offset=16 (local.get $weight)) (i32.const 4)))
        (local.set $high0 (i32x4.shr_u (v128.load offset=16 (local.get $weight)) (i32.const 12)))
        (local.set $low1 (i32x4.shl (v128.load offset=16 (local.get $other)) (i32.const 4)))
        (local.set $high1 (i32x4.shr_u (v128.load offset=16 (local.get $other)) (i32.const 12)))
        (local.set $wordEnd (i32.add (local.get $weight) (i32.const 64)))
        (loop $eachWord
          (local.set $word0 (v128.load offset=32 (local.get $weight)))
          (local.set $word1 (v128.load offset=32 (local.get $other)))
          (local.set $byteEnd (i32.add (local.get $xi) (i32.const 16)))
          (loop $eachByte
            (local.set $value (v128.load32_splat offset=4 (local.get $xi)))
            (local.set $dot0 (f32x4.add (local.get $dot0) (f32x4.mul (local.get $value)
              (f32x4.convert_i32x4_s (v128.or
                (v128.and (local.get $word0) (v128.const i32x4 15 15 15 15))
                (v128.and (local.get $low0) (v128.const i32x4 16 16 16 16)))))))
            (local.set $dot1 (f32x4.add (local.get $dot1) (f32x4.mul (local.get $value)
              (f32x4.convert_i32x4_s (v128.or
                (v128.and (local.get $word1) (v128.const i32x4 15 15 15 15))
                (v128.and (local.get $low1) (v128.const i32x4 16 16 16 16)))))))
            (local.set $word0 (i32x4.shr_u (local.get $word0) (i32.const 4)))
            (local.set $word1 (i32x4.shr_u (local.get $word1) (i32.const 4)))
            (local.set $value (v128.load32_splat offset=68 (local.get $xi)))
            (local.set $dot0 (f32x4.add (local.get $dot0) (f32x4.mul (local.get $value)
              (f32x4.convert_i32x4_s (v128.or
                (v128.and (local.get $word0) (v128.const i32x4 15 15 15 15))
                (v128.and (local.get $high0) (v128.const i32x4 16 16 16 16)))))))
            (local.set $dot1 (f32x4.add (local.get $dot1) (f32x4.mul (local.get $value)
              (f32x4.convert_i32x4_s (v128.or
                (v128.and (local.get $word1) (v128.const i32x4 15 15 15 15))
                (v128.and (local.get $high1) (v128.const i32x4 16 16 16 16)))))))
            (local.set $word0 (i32x4.shr_u (local.get $word0) (i32.const 4)))
            (local.set $word1 (i32x4.shr_u (local.get $word1) (i32.const 4)))
            (local.set $low0 (i32x4.shr_u (local.get $low0) (i32.const 1)))
            (local.set $low1 (i32x4.shr_u (local.get $low1) (i32.const 1)))
            (local.set $high0 (i32x4.shr_u (local.get $high0) (i32.const 1)))
            (local.set $high1 (i32x4.shr_u (local.get $high1) (i32.const 1)))
            (local.set $xi (i32.add (local.get $xi) (i32.const 4)))
            (br_if $eachByte (i32.lt_u (local.get $xi) (local.get $byteEnd))))
          (local.set $other (i32.add (local.get $other) (i32.const 16)))
          (local.set $weight (i32.add (local.get $weight) (i32.const 16)))
          (br_if $eachWord (i32.lt_u (local.get $weight) (local.get $wordEnd))))

        ;; d·(Σ q·x - 16·Σ x)
        (local.set $value (f32x4.mul (v128.const f32x4 16 16 16 16)
          (v128.load32_splat (i32.sub (local.get $xi) (i32.const 64)))))
        (local.set $sum0 (f32x4.add (local.get $sum0) (f32x4.mul
          (v128.load (i32.sub (local.get $weight) (i32.const 64)))
          (f32x4.sub (local.get $dot0) (local.get $value)))))
        (local.set $sum1 (f32x4.add (local.get $sum1) (f32x4.mul
          (v128.load (i32.sub (local.get $other) (i32.const 64)))
          (f32x4.sub (local.get $dot1) (local.get $value)))))
        (local.set $weight (i32.add (local.get $weight) (i32.const 32)))
        (local.set $other (i32.add (local.get $other) (i32.const 32)))
        (local.set $xi (i32.add (local.get $xi) (i32.const 68)))
        (br_if $eachBlock (i32.lt_u (local.get $xi) (local.get $xEnd))))
      (v128.store (local.get $y) (local.get $sum0))
      (v128.store offset=16 (local.get $y) (local.get $sum1))
      (local.set $weight (local.get $other))
      (local.set $y (i32.add (local.get $y) (i32.const 32)))
      (br_if $eachEightOutputs (i32.lt_u (local.get $y) (local.get $yEnd)))))

  ;; 四个词元，与 q4Four 一样；相加的次序与 q5One 的相同
  (func (export "q5Four")
    (param $x i32) (param $weight i32) (param $y i32) (param $blocks i32) (param $outputs i32)
    (local $x0 i32) (local $x1 i32) (local $x2 i32) (local $x3 i32) (local $xBytes i32) (local $yBytes i32)
    (local $xEnd i32) (local $yEnd i32) (local $wordEnd i32) (local $byteEnd i32)
    (local $word v128) (local $lowBits v128) (local $highBits v128) (local $low v128) (local $high v128)
    (local $dot0 v128) (local $dot1 v128) (local $dot2 v128) (local $dot3 v128)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)

    ;; 一个词元的输入、输出各占多少字节
    (local.set $xBytes (i32.mul (local.get $blocks) (i32.const 132)))
    (local.set $yBytes (i32.mul (local.get $outputs) (i32.const 4)))
    (local.set $xEnd (i32.add (local.get $x) (local.get $xBytes)))
    (local.set $yEnd (i32.add (local.get $y) (local.get $yBytes)))
    (loop $eachFourOutputs
      (local.set $x0 (local.get $x))
      (local.set $x1 (i32.add (local.get $x0) (local.get $xBytes)))
      (local.set $x2 (i32.add (local.get $x1) (local.get $xBytes)))
      (local.set $x3 (i32.add (local.get $x2) (local.get $xBytes)))
      (local.set $sum0 (v128.const f32x4 0 0 0 0)) (local.set $sum1 (v128.const f32x4 0 0 0 0))
      (local.set $sum2 (v128.const f32x4 0 0 0 0)) (local.set $sum3 (v128.const f32x4 0 0 0 0))
      (loop $eachBlock
        (local.set $dot0 (v128.const f32x4 0 0 0 0)) (local.set $dot1 (v128.const f32x4 0 0 0 0))
        (local.set $dot2 (v128.const f32x4 0 0 0 0)) (local.set $dot3 (v128.const f32x4 0 0 0 0))
        (local.set $lowBits (i32x4.shl (v128.load offset=16 (local.get $weight)) (i32.const 4)))
        (local.set $highBits (i32x4.shr_u (v128.load offset=16 (local.get $weight)) (i32.const 12)))
        (local.set $wordEnd (i32.add (local.get $weight) (i32.const 64)))
        (loop $eachWord
          (local.set $word (v128.load offset=32 (local.get $weight)))
          (local.set $byteEnd (i32.add (local.get $x0) (i32.const 16)))
          (loop $eachByte
            (local.set $low (f32x4.convert_i32x4_s (v128.or
              (v128.and (local.get $word) (v128.const i32x4 15 15 15 15))
              (v128.and (local.get $lowBits) (v128.const i32x4 16 16 16 16)))))
            (local.set $word (i32x4.shr_u (local.get $word) (i32.const 4)))
            (local.set $lowBits (i32x4.shr_u (local.get $lowBits) (i32.const 1)))
            (local.set $high (f32x4.convert_i32x4_s (v128.or
              (v128.and (local.get $word) (v128.const i32x4 15 15 15 15))
              (v128.and (local.get $highBits) (v128.const i32x4 16 16 16 16)))))
            (local.set $word (i32x4.shr_u (local.get $word) (i32.const 4)))
            (local.set $highBits (i32x4.shr_u (local.get $highBits) (i32.const 1)))

            (local.set $dot0 (f32x4.add (local.get $dot0)
              (f32x4.mul (local.get $low) (v128.load32_splat offset=4 (local.get $x0)))))
            (local.set $dot1 (f32x4.add (local.get $dot1)
              (f32x4.mul (local.get $low) (v128.load32_splat offset=4 (local.get $x1)))))
            (local.set $dot2 (f32x4.add (local.get $dot2)
              (f32x4.mul (local.get $low) (v128.load32_splat offset=4 (local.get $x2)))))
            (local.set $dot3 (f32x4.add (local.get $dot3)
              (f32x4.mul (local.get $low) (v128.load32_splat offset=4 (local.get $x3)))))

            (local.set $dot0 (f32x4.add (local.get $dot0)
              (f32x4.mul (local.get $high) (v128.load32_splat offset=68 (local.get $x0)))))
            (local.set $dot1 (f32x4.add (local.get $dot1)
              (f32x4.mul (local.get $high) (v128.load32_splat offset=68 (local.get $x1)))))
            (local.set $dot2 (f32x4.add (local.get $dot2)
              (f32x4.mul (local.get $high) (v128.load32_splat offset=68 (local.get $x2)))))
            (local.set $dot3 (f32x4.add (local.get $dot3)
              (f32x4.mul (local.get $high) (v128.load32_splat offset=68 (local.get $x3)))))

            (local.set $x0 (i32.add (local.get $x0) (i32.const 4)))
            (local.set $x1 (i32.add (local.get $x1) (i32.const 4)))
            (local.set $x2 (i32.add (local.get $x2) (i32.const 4)))
            (local.set $x3 (i32.add (local.get $x3) (i32.const 4)))
            (br_if $eachByte (i32.lt_u (local.get $x0) (local.get $byteEnd))))
          (local.set $weight (i32.add (local.get $weight) (i32.const 16)))
          (br_if $eachWord (i32.lt_u (local.get $weight) (local.get $wordEnd))))

        (local.set $low (v128.load (i32.sub (local.get $weight) (i32.const 64)))) ;; d
        (local.set $sum0 (f32x4.add (local.get $sum0) (f32x4.mul (local.get $low)
          (f32x4.sub (local.get $dot0) (f32x4.mul (v128.const f32x4 16 16 16 16)
            (v128.load32_splat (i32.sub (local.get $x0) (i32.const 64))))))))
        (local.set $sum1 (f32x4.add (local.get $sum1) (f32x4.mul (local.get $low)
          (f32x4.sub (local.get $dot1) (f32x4.mul (v128.const f32x4 16 16 16 16)
            (v128.load32_splat (i32.sub (local.get $x1) (i32.const 64))))))))
        (local.set $sum2 (f32x4.add (local.get $sum2) (f32x4.mul (local.get $low)
          (f32x4.sub (local.get $dot2) (f32x4.mul (v128.const f32x4 16 16 16 16)
            (v128.load32_splat (i32.sub (local.get $x2) (i32.const 64))))))))
        (local.set $sum3 (f32x4.add (local.get $sum3) (f32x4.mul (local.get $low)
          (f32x4.sub (local.get $dot3) (f32x4.mul (v128.const f32x4 16 16 16 16)
            (v128.load32_splat (i32.sub (local.get $x3) (i32.const 64))))))))
        (local.set $weight (i32.add (local.get $weight) (i32.const 32)))
        (local.set $x0 (i32.add (local.get $x0) (i32.const 68)))
        (local.set $x1 (i32.add (local.get $x1) (i32.const 68)))
        (local.set $x2 (i32.add (local.get $x2) (i32.const 68)))
        (local.set $x3 (i32.add (local.get $x3) (i32.const 68)))
        (br_if $eachBlock (i32.lt_u (local.get $x0) (local.get $xEnd))))
      (v128.store (local.get $y) (local.get $sum0))
      (v128.store (i32.add (local.get $y) (local.get $yBytes)) (local.get $sum1))
      (v128.store (i32.add (local.get $y) (i32.mul (local.get $yBytes) (i32.const 2))) (local.get $sum2))
      (v128.store (i32.add (local.get $y) (i32.mul (local.get $yBytes) (i32.const 3))) (local.get $sum3))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (br_if $eachFourOutputs (i32.lt_u (local.get $y) (local.get $yEnd)))))

  ;; Q6_K：w = d·q，16 个权重一个 d，文件里的 6 位整数在内存里占 8 位；前一半与后一半各加各的，互不等待
  (func (export "q6One")
    (param $x i32) (param $weight i32) (param $y i32) (param $blocks i32) (param $outputs i32)
    (local $xi i32) (local $xEnd i32) (local $yEnd i32) (local $wordEnd i32) (local $byteEnd i32)
    (local $word0 v128) (local $word1 v128) (local $dot0 v128) (local $dot1 v128) (local $sum v128)

    (local.set $xEnd (i32.add (local.get $x) (i32.mul (local.get $blocks) (i32.const 132))))
    (local.set $yEnd (i32.add (local.get $y) (i32.mul (local.get $outputs) (i32.const 4))))
    (loop $eachFourOutputs
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $xi (local.get $x))
      (loop $eachBlock
        (local.set $dot0 (v128.const f32x4 0 0 0 0)) (local.set $dot1 (v128.const f32x4 0 0 0 0))
        (local.set $wordEnd (i32.add (local.get $weight) (i32.const 64)))
        (loop $eachWord
          (local.set $word0 (v128.load offset=32 (local.get $weight)))
          (local.set $word1 (v128.load offset=96 (local.get $weight)))
          (local.set $byteEnd (i32.add (local.get $xi) (i32.const 16)))
          (loop $eachByte
            (local.set $dot0 (f32x4.add (local.get $dot0) (f32x4.mul
              (f32x4.convert_i32x4_s
                (i32x4.shr_s (i32x4.shl (local.get $word0) (i32.const 24)) (i32.const 24)))
              (v128.load32_splat offset=4 (local.get $xi)))))
            (local.set $dot1 (f32x4.add (local.get $dot1) (f32x4.mul
              (f32x4.convert_i32x4_s
                (i32x4.shr_s (i32x4.shl (local.get $word1) (i32.const 24)) (i32.const 24)))
              (v128.load32_splat offset=68 (local.get $xi)))))
            (local.set $word0 (i32x4.shr_u (local.get $word0) (i32.const 8)))
            (local.set $word1 (i32x4.shr_u (local.get $word1) (i32.const 8)))
            (local.set $xi (i32.add (local.get $xi) (i32.const 4)))
            (br_if $eachByte (i32.lt_u (local.get $xi) (local.get $byteEnd))))
          (local.set $weight (i32.add (local.get $weight) (i32.const 16)))
          (br_if $eachWord (i32.lt_u (local.get $weight) (local.get $wordEnd))))

        (local.set $sum (f32x4.add (local.get $sum) (f32x4.add
          (f32x4.mul (v128.load (i32.sub (local.get $weight) (i32.const 64))) (local.get $dot0))
          (f32x4.mul (v128.load (i32.sub (local.get $weight) (i32.const 48))) (local.get $dot1)))))
        (local.set $weight (i32.add (local.get $weight) (i32.const 96)))
        (local.set $xi (i32.add (local.get $xi) (i32.const 68)))
        (br_if $eachBlock (i32.lt_u (local.get $xi) (local.get $xEnd))))
      (v128.store (local.get $y) (local.get $sum))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (br_if $eachFourOutputs (i32.lt_u (local.get $y) (local.get $yEnd))))))
