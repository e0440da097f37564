;; 矩阵乘法 C[i, j] = Σ_k A[i, k] · B[k, j]，全是 fp32；start 不是 0 时，从那里的数加起。往下还有一行一行的、一个数一个数的运算。
;;
;; a、b、c 是内存里的字节位置，aRow、aColumn、bRow、bColumn、cRow、startRow 是步长，也以字节计；C 与 start 的一行总是连着的。
;; 一次算四行八列：B 的八个数取出来用四次，A 的一个数抄成四份，乘八列；三十二个和都留在寄存器里，最后才写回去。
;; 同一个和里，相加的次序总是 k 从小到大；只用加、减、乘、除与平方根，所以哪个浏览器算出来的每一位都一样。
(module
  (import "live" "memory" (memory 1))

  ;; 四行八列，b 是抄好的八列；A 不满四行（rows）时，末一行当几行用，多出来的和没有人要
  (func $block
    (param $rows i32) (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32) (param $b i32)
    (param $c i32) (param $cRow i32) (param $start i32) (param $startRow i32)
    (local $a1 i32) (local $a2 i32) (local $a3 i32) (local $b0 v128) (local $b1 v128) (local $x v128)
    (local $s00 v128) (local $s01 v128) (local $s10 v128) (local $s11 v128) (local $s20 v128) (local $s21 v128) (local $s30 v128) (local $s31 v128)
    (local.set $a1 (i32.add (local.get $a) (select (local.get $aRow) (i32.const 0) (i32.gt_s (local.get $rows) (i32.const 1)))))
    (local.set $a2 (i32.add (local.get $a1) (select (local.get $aRow) (i32.const 0) (i32.gt_s (local.get $rows) (i32.const 2)))))
    (local.set $a3 (i32.add (local.get $a2) (select (local.get $aRow) (i32.const 0) (i32.gt_s (local.get $rows) (i32.const 3)))))
    (if (local.get $start) (then
      (local.set $s00 (v128.load (local.get $start)))
      (local.set $s01 (v128.load offset=16 (local.get $start)))
      (local.set $start (i32.add (local.get $start) (local.get $startRow)))
      (local.set $s10 (v128.load (local.get $start)))
      (local.set $s11 (v128.load offset=16 (local.get $start)))
      (local.set $start (i32.add (local.get $start) (local.get $startRow)))
      (local.set $s20 (v128.load (local.get $start)))
      (local.set $s21 (v128.load offset=16 (local.get $start)))
      (local.set $start (i32.add (local.get $start) (local.get $startRow)))
      (local.set $s30 (v128.load (local.get $start)))
      (local.set $s31 (v128.load offset=16 (local.get $start)))))
    (loop $each
      (local.set $b0 (v128.load (local.get $b)))
      (local.set $b1 (v128.load offset=16 (local.get $b)))
      (local.set $x (v128.load32_splat (local.get $a)))
      (local.set $s00 (f32x4.add (local.get $s00) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $s01 (f32x4.add (local.get $s01) (f32x4.mul (local.get $x) (local.get $b1))))
      (local.set $a (i32.add (local.get $a) (local.get $aColumn)))
      (local.set $x (v128.load32_splat (local.get $a1)))
      (local.set $s10 (f32x4.add (local.get $s10) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $s11 (f32x4.add (local.get $s11) (f32x4.mul (local.get $x) (local.get $b1))))
      (local.set $a1 (i32.add (local.get $a1) (local.get $aColumn)))
      (local.set $x (v128.load32_splat (local.get $a2)))
      (local.set $s20 (f32x4.add (local.get $s20) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $s21 (f32x4.add (local.get $s21) (f32x4.mul (local.get $x) (local.get $b1))))
      (local.set $a2 (i32.add (local.get $a2) (local.get $aColumn)))
      (local.set $x (v128.load32_splat (local.get $a3)))
      (local.set $s30 (f32x4.add (local.get $s30) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $s31 (f32x4.add (local.get $s31) (f32x4.mul (local.get $x) (local.get $b1))))
      (local.set $a3 (i32.add (local.get $a3) (local.get $aColumn)))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
    (v128.store (local.get $c) (local.get $s00))
    (v128.store offset=16 (local.get $c) (local.get $s01))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (v128.store (local.get $c) (local.get $s10))
    (v128.store offset=16 (local.get $c) (local.get $s11))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (v128.store (local.get $c) (local.get $s20))
    (v128.store offset=16 (local.get $c) (local.get $s21))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (v128.store (local.get $c) (local.get $s30))
    (v128.store offset=16 (local.get $c) (local.get $s31)))

  ;; B 的八列抄到 panel 里，连着放：原来的行隔得远，一遍遍地取，缓存里老是撞在一处。不满八列（n）的，空着的不管
  (func $pack (param $n i32) (param $k i32) (param $b i32) (param $bRow i32) (param $bColumn i32) (param $panel i32)
    (local $from i32) (local $to i32) (local $end i32)
    (if (i32.and (i32.eq (local.get $bColumn) (i32.const 4)) (i32.ge_s (local.get $n) (i32.const 8))) (then
      (loop $each
        (v128.store (local.get $panel) (v128.load (local.get $b)))
        (v128.store offset=16 (local.get $panel) (v128.load offset=16 (local.get $b)))
        (local.set $panel (i32.add (local.get $panel) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (local.get $bRow)))
        (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
      (return)))
    (local.set $n (select (i32.const 8) (local.get $n) (i32.gt_s (local.get $n) (i32.const 8))))
    (loop $eachRow
      (local.set $from (local.get $b))
      (local.set $to (local.get $panel))
      (local.set $end (i32.add (local.get $to) (i32.shl (local.get $n) (i32.const 2))))
      (loop $each
        (f32.store (local.get $to) (f32.load (local.get $from)))
        (local.set $from (i32.add (local.get $from) (local.get $bColumn)))
        (br_if $each (i32.lt_u (local.tee $to (i32.add (local.get $to) (i32.const 4))) (local.get $end))))
      (local.set $panel (i32.add (local.get $panel) (i32.const 32)))
      (local.set $b (i32.add (local.get $b) (local.get $bRow)))
      (br_if $eachRow (local.tee $k (i32.sub (local.get $k) (i32.const 1))))))

  ;; 边上不满四行八列的一块：先算在 spare 里，再把要的 m 行 n 列抄过去
  (func $part (param $m i32) (param $n i32) (param $spare i32) (param $c i32) (param $cRow i32) (param $start i32) (param $startRow i32)
    (local $at i32) (local $sum f32)
    (local.set $m (select (i32.const 4) (local.get $m) (i32.gt_s (local.get $m) (i32.const 4))))
    (local.set $n (i32.shl (select (i32.const 8) (local.get $n) (i32.gt_s (local.get $n) (i32.const 8))) (i32.const 2)))
    (loop $eachRow
      (local.set $at (i32.const 0))
      (loop $each
        (local.set $sum (f32.load (i32.add (local.get $spare) (local.get $at))))
        (if (local.get $start) (then (local.set $sum (f32.add (local.get $sum) (f32.load (i32.add (local.get $start) (local.get $at)))))))
        (f32.store (i32.add (local.get $c) (local.get $at)) (local.get $sum))
        (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $n))))
      (local.set $spare (i32.add (local.get $spare) (i32.const 32)))
      (local.set $c (i32.add (local.get $c) (local.get $cRow)))
      (if (local.get $start) (then (local.set $start (i32.add (local.get $start) (local.get $startRow)))))
      (br_if $eachRow (local.tee $m (i32.sub (local.get $m) (i32.const 1))))))

  ;; 八列八列地从左到右，四行四行地从上到下；panel 是放得下 k × 8 + 32 个数的一块地方
  (func (export "product")
    (param $m i32) (param $n i32) (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $bColumn i32) (param $c i32) (param $cRow i32) (param $start i32) (param $startRow i32) (param $panel i32)
    (local $rows i32) (local $at i32) (local $to i32) (local $from i32) (local $spare i32)
    (local.set $spare (i32.add (local.get $panel) (i32.shl (local.get $k) (i32.const 5))))
    (loop $eachColumns
      (call $pack (local.get $n) (local.get $k) (local.get $b) (local.get $bRow) (local.get $bColumn) (local.get $panel))
      (local.set $rows (local.get $m))
      (local.set $at (local.get $a))
      (local.set $to (local.get $c))
      (local.set $from (local.get $start))
      (loop $eachRows
        (if (i32.and (i32.ge_s (local.get $rows) (i32.const 4)) (i32.ge_s (local.get $n) (i32.const 8)))
          (then
            (call $block (i32.const 4) (local.get $k) (local.get $at) (local.get $aRow) (local.get $aColumn) (local.get $panel)
              (local.get $to) (local.get $cRow) (local.get $from) (local.get $startRow)))
          (else
            (call $block (local.get $rows) (local.get $k) (local.get $at) (local.get $aRow) (local.get $aColumn) (local.get $panel)
              (local.get $spare) (i32.const 32) (i32.const 0) (i32.const 0))
            (call $part (local.get $rows) (local.get $n) (local.get $spare) (local.get $to) (local.get $cRow) (local.get $from) (local.get $startRow))))
        (local.set $at (i32.add (local.get $at) (i32.shl (local.get $aRow) (i32.const 2))))
        (local.set $to (i32.add (local.get $to) (i32.shl (local.get $cRow) (i32.const 2))))
        (local.set $from (i32.add (local.get $from) (i32.shl (local.get $startRow) (i32.const 2))))
        (br_if $eachRows (i32.gt_s (local.tee $rows (i32.sub (local.get $rows) (i32.const 4))) (i32.const 0))))
      (local.set $b (i32.add (local.get $b) (i32.shl (local.get $bColumn) (i32.const 3))))
      (local.set $c (i32.add (local.get $c) (i32.const 32)))
      (if (local.get $start) (then (local.set $start (i32.add (local.get $start) (i32.const 32)))))
      (br_if $eachColumns (i32.gt_s (local.tee $n (i32.sub (local.get $n) (i32.const 8))) (i32.const 0)))))

  ;; 以下一行一行地算；四个数里的和、最大的
  (func $total (param $x v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $x)) (f32x4.extract_lane 1 (local.get $x)))
      (f32.add (f32x4.extract_lane 2 (local.get $x)) (f32x4.extract_lane 3 (local.get $x)))))
  (func $largest (param $x v128) (result f32)
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $x)) (f32x4.extract_lane 1 (local.get $x)))
      (f32.max (f32x4.extract_lane 2 (local.get $x)) (f32x4.extract_lane 3 (local.get $x)))))

  ;; 从第 j 个起的四个数里，哪几个在 columns 个之内
  (func $inside (param $j i32) (param $columns i32) (result v128)
    (i32x4.gt_s (i32x4.splat (i32.sub (local.get $columns) (local.get $j))) (v128.const i32x4 0 1 2 3)))

  ;; 四个数写到 to，只写前 left 个：一行的末尾也许不满四个，后面是别的行
  (func $write (param $to i32) (param $left i32) (param $x v128)
    (if (i32.ge_s (local.get $left) (i32.const 4)) (then (v128.store (local.get $to) (local.get $x)) (return)))
    (v128.store32_lane 0 (local.get $to) (local.get $x))
    (if (i32.ge_s (local.get $left) (i32.const 2)) (then (v128.store32_lane offset=4 1 (local.get $to) (local.get $x))))
    (if (i32.ge_s (local.get $left) (i32.const 3)) (then (v128.store32_lane offset=8 2 (local.get $to) (local.get $x)))))

  ;; e 的 x 次方，x ≤ 0，小于 -32 的当作 -32：极小的数（非规格化的）乘起来慢几十倍，对和却毫无影响。
  ;; x = n ln 2 + r，r 不到 0.35，用幂级数；ln 2 分成两截来减，免得舍入
  (func $exp (param $x v128) (result v128)
    (local $n v128) (local $r v128) (local $y v128)
    (local.set $x (f32x4.max (local.get $x) (v128.const f32x4 -32 -32 -32 -32)))
    (local.set $n (f32x4.nearest (f32x4.mul (local.get $x) (v128.const f32x4 1.44269504 1.44269504 1.44269504 1.44269504))))
    (local.set $r (f32x4.sub (local.get $x) (f32x4.mul (local.get $n) (v128.const f32x4 0.693359375 0.693359375 0.693359375 0.693359375))))
    (local.set $r (f32x4.add (local.get $r) (f32x4.mul (local.get $n) (v128.const f32x4 2.12194440e-4 2.12194440e-4 2.12194440e-4 2.12194440e-4))))
    (local.set $y (v128.const f32x4 0x1.a01a02p-13 0x1.a01a02p-13 0x1.a01a02p-13 0x1.a01a02p-13)) ;; 1/5040
    (local.set $y (f32x4.add (v128.const f32x4 0x1.6c16c2p-10 0x1.6c16c2p-10 0x1.6c16c2p-10 0x1.6c16c2p-10) (f32x4.mul (local.get $r) (local.get $y)))) ;; 1/720
    (local.set $y (f32x4.add (v128.const f32x4 0x1.111112p-7 0x1.111112p-7 0x1.111112p-7 0x1.111112p-7) (f32x4.mul (local.get $r) (local.get $y)))) ;; 1/120
    (local.set $y (f32x4.add (v128.const f32x4 0x1.555556p-5 0x1.555556p-5 0x1.555556p-5 0x1.555556p-5) (f32x4.mul (local.get $r) (local.get $y)))) ;; 1/24
    (local.set $y (f32x4.add (v128.const f32x4 0x1.555556p-3 0x1.555556p-3 0x1.555556p-3 0x1.555556p-3) (f32x4.mul (local.get $r) (local.get $y)))) ;; 1/6
    (local.set $y (f32x4.add (v128.const f32x4 0.5 0.5 0.5 0.5) (f32x4.mul (local.get $r) (local.get $y))))
    (local.set $y (f32x4.add (v128.const f32x4 1 1 1 1) (f32x4.mul (local.get $r) (local.get $y))))
    (local.set $y (f32x4.add (v128.const f32x4 1 1 1 1) (f32x4.mul (local.get $r) (local.get $y))))
    ;; 2 的 n 次方：n 写进浮点数的指数里
    (f32x4.mul (local.get $y) (i32x4.shl (i32x4.add (i32x4.trunc_sat_f32x4_s (local.get $n)) (v128.const i32x4 127 127 127 127)) (i32.const 23))))

  ;; n 行 n 个分数 → 权重；causal 不是 0 时，第 i 行只有前 i + 1 个看得见
  (func (export "softmax") (param $x i32) (param $n i32) (param $causal i32) (param $scale f32)
    (local $i i32) (local $j i32) (local $at i32) (local $columns i32) (local $seen v128) (local $y v128) (local $max v128) (local $sum v128)
    (loop $eachRow
      (local.set $columns (select (i32.add (local.get $i) (i32.const 1)) (local.get $n) (local.get $causal)))
      (local.set $max (v128.const f32x4 -inf -inf -inf -inf))
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $j (i32.const 0))
      (local.set $at (local.get $x))
      (loop $each
        (local.set $seen (call $inside (local.get $j) (local.get $columns)))
        (local.set $max (f32x4.max (local.get $max)
          (v128.bitselect (v128.load (local.get $at)) (v128.const f32x4 -inf -inf -inf -inf) (local.get $seen))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $each (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $columns))))
      (local.set $max (f32x4.splat (call $largest (local.get $max))))
      (local.set $j (i32.const 0))
      (local.set $at (local.get $x))
      (loop $each
        (local.set $seen (call $inside (local.get $j) (local.get $columns)))
        (local.set $y (call $exp (f32x4.mul (f32x4.sub (v128.load (local.get $at)) (local.get $max)) (f32x4.splat (local.get $scale)))))
        (local.set $y (v128.and (local.get $y) (local.get $seen)))
        (local.set $sum (f32x4.add (local.get $sum) (local.get $y)))
        (call $write (local.get $at) (i32.sub (local.get $n) (local.get $j)) (local.get $y))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $each (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $n))))
      (local.set $sum (f32x4.splat (f32.div (f32.const 1) (call $total (local.get $sum)))))
      (local.set $j (i32.const 0))
      (local.set $at (local.get $x))
      (loop $each
        (call $write (local.get $at) (i32.sub (local.get $n) (local.get $j)) (f32x4.mul (v128.load (local.get $at)) (local.get $sum)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $each (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $n))))
      (local.set $x (i32.add (local.get $x) (i32.shl (local.get $n) (i32.const 2))))
      (br_if $eachRow (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n)))))

  ;; softmax 的梯度：d 是对权重的，改成对分数的 w (d - Σ w d) scale
  (func (export "softmaxBack") (param $d i32) (param $w i32) (param $n i32) (param $scale f32)
    (local $i i32) (local $j i32) (local $at i32) (local $sum v128)
    (local.set $i (local.get $n))
    (loop $eachRow
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $j (i32.const 0))
      (loop $each
        (local.set $at (i32.shl (local.get $j) (i32.const 2)))
        (local.set $sum (f32x4.add (local.get $sum) (v128.and (call $inside (local.get $j) (local.get $n)) (f32x4.mul
          (v128.load (i32.add (local.get $d) (local.get $at)))
          (v128.load (i32.add (local.get $w) (local.get $at)))))))
        (br_if $each (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $n))))
      (local.set $sum (f32x4.splat (call $total (local.get $sum))))
      (local.set $j (i32.const 0))
      (loop $each
        (local.set $at (i32.shl (local.get $j) (i32.const 2)))
        (call $write (i32.add (local.get $d) (local.get $at)) (i32.sub (local.get $n) (local.get $j)) (f32x4.mul
          (f32x4.splat (local.get $scale))
          (f32x4.mul (v128.load (i32.add (local.get $w) (local.get $at)))
            (f32x4.sub (v128.load (i32.add (local.get $d) (local.get $at))) (local.get $sum)))))
        (br_if $each (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $n))))
      (local.set $d (i32.add (local.get $d) (i32.shl (local.get $n) (i32.const 2))))
      (local.set $w (i32.add (local.get $w) (i32.shl (local.get $n) (i32.const 2))))
      (br_if $eachRow (local.tee $i (i32.sub (local.get $i) (i32.const 1))))))

  ;; 层归一化：rows 行，一行 width 个字节，16 的倍数；unit 与 rate 留着，往后退时要用
  (func (export "normalise")
    (param $x i32) (param $y i32) (param $unit i32) (param $rate i32) (param $gamma i32) (param $beta i32) (param $width i32) (param $rows i32)
    (local $at i32) (local $n v128) (local $mean v128) (local $sum v128) (local $off v128)
    (local.set $n (f32x4.splat (f32.convert_i32_s (i32.shr_s (local.get $width) (i32.const 2)))))
    (loop $eachRow
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $each
        (local.set $sum (f32x4.add (local.get $sum) (v128.load (i32.add (local.get $x) (local.get $at)))))
        (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $width))))
      (local.set $mean (f32x4.div (f32x4.splat (call $total (local.get $sum))) (local.get $n)))
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $each
        (local.set $off (f32x4.sub (v128.load (i32.add (local.get $x) (local.get $at))) (local.get $mean)))
        (local.set $sum (f32x4.add (local.get $sum) (f32x4.mul (local.get $off) (local.get $off))))
        (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $width))))
      (local.set $sum (f32x4.div (f32x4.splat (call $total (local.get $sum))) (local.get $n)))
      (local.set $sum (f32x4.div (v128.const f32x4 1 1 1 1) (f32x4.sqrt (f32x4.add (local.get $sum) (v128.const f32x4 1e-5 1e-5 1e-5 1e-5)))))
      (f32.store (local.get $rate) (f32x4.extract_lane 0 (local.get $sum)))
      (local.set $at (i32.const 0))
      (loop $each
        (local.set $off (f32x4.mul (local.get $sum) (f32x4.sub (v128.load (i32.add (local.get $x) (local.get $at))) (local.get $mean))))
        (v128.store (i32.add (local.get $unit) (local.get $at)) (local.get $off))
        (v128.store (i32.add (local.get $y) (local.get $at)) (f32x4.add
          (v128.load (i32.add (local.get $beta) (local.get $at)))
          (f32x4.mul (local.get $off) (v128.load (i32.add (local.get $gamma) (local.get $at))))))
        (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $width))))
      (local.set $x (i32.add (local.get $x) (local.get $width)))
      (local.set $y (i32.add (local.get $y) (local.get $width)))
      (local.set $unit (i32.add (local.get $unit) (local.get $width)))
      (local.set $rate (i32.add (local.get $rate) (i32.const 4)))
      (br_if $eachRow (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; 它的梯度：dx = rate (γ dy - 平均的 γ dy - unit · 平均的 γ dy unit)，顺便记下 dγ 与 dβ
  (func (export "normaliseBack")
    (param $dy i32) (param $dx i32) (param $unit i32) (param $rate i32) (param $gamma i32) (param $dGamma i32) (param $dBeta i32) (param $width i32) (param $rows i32)
    (local $at i32) (local $n v128) (local $sum v128) (local $along v128) (local $g v128) (local $one v128) (local $each v128)
    (local.set $n (f32x4.splat (f32.convert_i32_s (i32.shr_s (local.get $width) (i32.const 2)))))
    (loop $eachRow
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $along (v128.const f32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $each
        (local.set $g (v128.load (i32.add (local.get $dy) (local.get $at))))
        (local.set $one (v128.load (i32.add (local.get $unit) (local.get $at))))
        (v128.store (i32.add (local.get $dBeta) (local.get $at)) (f32x4.add (v128.load (i32.add (local.get $dBeta) (local.get $at))) (local.get $g)))
        (v128.store (i32.add (local.get $dGamma) (local.get $at))
          (f32x4.add (v128.load (i32.add (local.get $dGamma) (local.get $at))) (f32x4.mul (local.get $g) (local.get $one))))
        (local.set $g (f32x4.mul (local.get $g) (v128.load (i32.add (local.get $gamma) (local.get $at)))))
        (local.set $sum (f32x4.add (local.get $sum) (local.get $g)))
        (local.set $along (f32x4.add (local.get $along) (f32x4.mul (local.get $g) (local.get $one))))
        (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $width))))
      (local.set $sum (f32x4.div (f32x4.splat (call $total (local.get $sum))) (local.get $n)))
      (local.set $along (f32x4.div (f32x4.splat (call $total (local.get $along))) (local.get $n)))
      (local.set $each (v128.load32_splat (local.get $rate)))
      (local.set $at (i32.const 0))
      (loop $each
        (local.set $g (f32x4.mul (v128.load (i32.add (local.get $dy) (local.get $at))) (v128.load (i32.add (local.get $gamma) (local.get $at)))))
        (local.set $one (f32x4.mul (local.get $along) (v128.load (i32.add (local.get $unit) (local.get $at)))))
        (v128.store (i32.add (local.get $dx) (local.get $at))
          (f32x4.mul (local.get $each) (f32x4.sub (f32x4.sub (local.get $g) (local.get $sum)) (local.get $one))))
        (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $width))))
      (local.set $dy (i32.add (local.get $dy) (local.get $width)))
      (local.set $dx (i32.add (local.get $dx) (local.get $width)))
      (local.set $unit (i32.add (local.get $unit) (local.get $width)))
      (local.set $rate (i32.add (local.get $rate) (i32.const 4)))
      (br_if $eachRow (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; AdamW 的一步：value、gradient、first、second 各 bytes 个字节；decay = 1 - rate · 0.01，rate 已除过 1 - β₁ᵗ，root = √(1 - β₂ᵗ)
  (func (export "adamW")
    (param $value i32) (param $gradient i32) (param $first i32) (param $second i32) (param $bytes i32)
    (param $decay f32) (param $rate f32) (param $root f32)
    (local $at i32) (local $g v128) (local $m v128) (local $v v128)
    (loop $each
      (local.set $g (v128.load (i32.add (local.get $gradient) (local.get $at))))
      (local.set $m (f32x4.add
        (f32x4.mul (v128.const f32x4 0.9 0.9 0.9 0.9) (v128.load (i32.add (local.get $first) (local.get $at))))
        (f32x4.mul (v128.const f32x4 0.1 0.1 0.1 0.1) (local.get $g))))
      (v128.store (i32.add (local.get $first) (local.get $at)) (local.get $m))
      (local.set $v (f32x4.add
        (f32x4.mul (v128.const f32x4 0.999 0.999 0.999 0.999) (v128.load (i32.add (local.get $second) (local.get $at))))
        (f32x4.mul (v128.const f32x4 0.001 0.001 0.001 0.001) (f32x4.mul (local.get $g) (local.get $g)))))
      (v128.store (i32.add (local.get $second) (local.get $at)) (local.get $v))
      (local.set $v (f32x4.add (f32x4.div (f32x4.sqrt (local.get $v)) (f32x4.splat (local.get $root))) (v128.const f32x4 1e-8 1e-8 1e-8 1e-8)))
      (v128.store (i32.add (local.get $value) (local.get $at)) (f32x4.sub
        (f32x4.mul (v128.load (i32.add (local.get $value) (local.get $at))) (f32x4.splat (local.get $decay)))
        (f32x4.mul (f32x4.splat (local.get $rate)) (f32x4.div (local.get $m) (local.get $v)))))
      (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $bytes)))))

  ;; 以下是一个数一个数的运算，四个一组；bytes 是一共多少字节，16 的倍数
  ;; to = a + b
  (func (export "plus") (param $a i32) (param $b i32) (param $to i32) (param $bytes i32)
    (local $at i32)
    (loop $each
      (v128.store (i32.add (local.get $to) (local.get $at)) (f32x4.add
        (v128.load (i32.add (local.get $a) (local.get $at)))
        (v128.load (i32.add (local.get $b) (local.get $at)))))
      (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $bytes)))))

  ;; 小于 0 的改成 0
  (func (export "relu") (param $x i32) (param $bytes i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $x) (local.get $bytes)))
    (loop $each
      (v128.store (local.get $x) (f32x4.max (v128.load (local.get $x)) (v128.const f32x4 0 0 0 0)))
      (br_if $each (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end)))))

  ;; x 不大于 0 的地方，梯度 dx 也改成 0
  (func (export "reluBack") (param $dx i32) (param $x i32) (param $bytes i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $dx) (local.get $bytes)))
    (loop $each
      (v128.store (local.get $dx) (v128.and (v128.load (local.get $dx))
        (f32x4.gt (v128.load (local.get $x)) (v128.const f32x4 0 0 0 0))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $each (i32.lt_u (local.tee $dx (i32.add (local.get $dx) (i32.const 16))) (local.get $end)))))

  ;; 许多行加到一行上
  (func (export "sumRows") (param $from i32) (param $line i32) (param $row i32) (param $bytes i32)
    (local $at i32) (local $end i32)
    (local.set $end (i32.add (local.get $from) (local.get $bytes)))
    (loop $eachRow
      (local.set $at (i32.const 0))
      (loop $each
        (v128.store (i32.add (local.get $line) (local.get $at)) (f32x4.add
          (v128.load (i32.add (local.get $line) (local.get $at)))
          (v128.load (i32.add (local.get $from) (local.get $at)))))
        (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $row))))
      (br_if $eachRow (i32.lt_u (local.tee $from (i32.add (local.get $from) (local.get $row))) (local.get $end))))))
