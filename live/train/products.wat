;; 矩阵乘法 C[i, j] = Σ_k A[i, k] · B[k, j]，全是 fp32；add 不是 0 时，在 C 原有的数上加。
;;
;; a、b、c 是内存里的字节位置，aRow、aColumn、bRow、cRow 是步长，也以字节计；B 与 C 的一行总是连着的。
;; 一次算四行八列：B 的八个数取出来用四次，A 的一个数抄成四份，乘八列；三十二个和都留在寄存器里，最后才写回去。
;; 同一个和里，相加的次序总是 k 从小到大，与块怎样分无关，所以哪个浏览器算出来的每一位都一样。
(module
  (import "live" "memory" (memory 1))

  (func $block4x8
    (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32)
    (local $a1 i32) (local $a2 i32) (local $a3 i32)
    (local $b0 v128) (local $b1 v128) (local $x v128)
    (local $s00 v128) (local $s01 v128) (local $s10 v128) (local $s11 v128) (local $s20 v128) (local $s21 v128) (local $s30 v128) (local $s31 v128)
    (local.set $a1 (i32.add (local.get $a) (local.get $aRow)))
    (local.set $a2 (i32.add (local.get $a1) (local.get $aRow)))
    (local.set $a3 (i32.add (local.get $a2) (local.get $aRow)))
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
      (local.set $b (i32.add (local.get $b) (local.get $bRow)))
      (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
    (if (local.get $add) (then (local.set $s00 (f32x4.add (local.get $s00) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s00))
    (if (local.get $add) (then (local.set $s01 (f32x4.add (local.get $s01) (v128.load offset=16 (local.get $c))))))
    (v128.store offset=16 (local.get $c) (local.get $s01))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (if (local.get $add) (then (local.set $s10 (f32x4.add (local.get $s10) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s10))
    (if (local.get $add) (then (local.set $s11 (f32x4.add (local.get $s11) (v128.load offset=16 (local.get $c))))))
    (v128.store offset=16 (local.get $c) (local.get $s11))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (if (local.get $add) (then (local.set $s20 (f32x4.add (local.get $s20) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s20))
    (if (local.get $add) (then (local.set $s21 (f32x4.add (local.get $s21) (v128.load offset=16 (local.get $c))))))
    (v128.store offset=16 (local.get $c) (local.get $s21))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (if (local.get $add) (then (local.set $s30 (f32x4.add (local.get $s30) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s30))
    (if (local.get $add) (then (local.set $s31 (f32x4.add (local.get $s31) (v128.load offset=16 (local.get $c))))))
    (v128.store offset=16 (local.get $c) (local.get $s31)))

  (func $block4x4
    (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32)
    (local $a1 i32) (local $a2 i32) (local $a3 i32)
    (local $b0 v128) (local $x v128)
    (local $s00 v128) (local $s10 v128) (local $s20 v128) (local $s30 v128)
    (local.set $a1 (i32.add (local.get $a) (local.get $aRow)))
    (local.set $a2 (i32.add (local.get $a1) (local.get $aRow)))
    (local.set $a3 (i32.add (local.get $a2) (local.get $aRow)))
    (loop $each
      (local.set $b0 (v128.load (local.get $b)))
      (local.set $x (v128.load32_splat (local.get $a)))
      (local.set $s00 (f32x4.add (local.get $s00) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $a (i32.add (local.get $a) (local.get $aColumn)))
      (local.set $x (v128.load32_splat (local.get $a1)))
      (local.set $s10 (f32x4.add (local.get $s10) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $a1 (i32.add (local.get $a1) (local.get $aColumn)))
      (local.set $x (v128.load32_splat (local.get $a2)))
      (local.set $s20 (f32x4.add (local.get $s20) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $a2 (i32.add (local.get $a2) (local.get $aColumn)))
      (local.set $x (v128.load32_splat (local.get $a3)))
      (local.set $s30 (f32x4.add (local.get $s30) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $a3 (i32.add (local.get $a3) (local.get $aColumn)))
      (local.set $b (i32.add (local.get $b) (local.get $bRow)))
      (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
    (if (local.get $add) (then (local.set $s00 (f32x4.add (local.get $s00) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s00))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (if (local.get $add) (then (local.set $s10 (f32x4.add (local.get $s10) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s10))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (if (local.get $add) (then (local.set $s20 (f32x4.add (local.get $s20) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s20))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (if (local.get $add) (then (local.set $s30 (f32x4.add (local.get $s30) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s30)))

  (func $block4x1
    (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32)
    (local $a1 i32) (local $a2 i32) (local $a3 i32)
    (local $b0 f32) (local $x f32)
    (local $s00 f32) (local $s10 f32) (local $s20 f32) (local $s30 f32)
    (local.set $a1 (i32.add (local.get $a) (local.get $aRow)))
    (local.set $a2 (i32.add (local.get $a1) (local.get $aRow)))
    (local.set $a3 (i32.add (local.get $a2) (local.get $aRow)))
    (loop $each
      (local.set $b0 (f32.load (local.get $b)))
      (local.set $x (f32.load (local.get $a)))
      (local.set $s00 (f32.add (local.get $s00) (f32.mul (local.get $x) (local.get $b0))))
      (local.set $a (i32.add (local.get $a) (local.get $aColumn)))
      (local.set $x (f32.load (local.get $a1)))
      (local.set $s10 (f32.add (local.get $s10) (f32.mul (local.get $x) (local.get $b0))))
      (local.set $a1 (i32.add (local.get $a1) (local.get $aColumn)))
      (local.set $x (f32.load (local.get $a2)))
      (local.set $s20 (f32.add (local.get $s20) (f32.mul (local.get $x) (local.get $b0))))
      (local.set $a2 (i32.add (local.get $a2) (local.get $aColumn)))
      (local.set $x (f32.load (local.get $a3)))
      (local.set $s30 (f32.add (local.get $s30) (f32.mul (local.get $x) (local.get $b0))))
      (local.set $a3 (i32.add (local.get $a3) (local.get $aColumn)))
      (local.set $b (i32.add (local.get $b) (local.get $bRow)))
      (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
    (if (local.get $add) (then (local.set $s00 (f32.add (local.get $s00) (f32.load (local.get $c))))))
    (f32.store (local.get $c) (local.get $s00))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (if (local.get $add) (then (local.set $s10 (f32.add (local.get $s10) (f32.load (local.get $c))))))
    (f32.store (local.get $c) (local.get $s10))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (if (local.get $add) (then (local.set $s20 (f32.add (local.get $s20) (f32.load (local.get $c))))))
    (f32.store (local.get $c) (local.get $s20))
    (local.set $c (i32.add (local.get $c) (local.get $cRow)))
    (if (local.get $add) (then (local.set $s30 (f32.add (local.get $s30) (f32.load (local.get $c))))))
    (f32.store (local.get $c) (local.get $s30)))

  (func $block1x8
    (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32)
    (local $b0 v128) (local $b1 v128) (local $x v128)
    (local $s00 v128) (local $s01 v128)
    (loop $each
      (local.set $b0 (v128.load (local.get $b)))
      (local.set $b1 (v128.load offset=16 (local.get $b)))
      (local.set $x (v128.load32_splat (local.get $a)))
      (local.set $s00 (f32x4.add (local.get $s00) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $s01 (f32x4.add (local.get $s01) (f32x4.mul (local.get $x) (local.get $b1))))
      (local.set $a (i32.add (local.get $a) (local.get $aColumn)))
      (local.set $b (i32.add (local.get $b) (local.get $bRow)))
      (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
    (if (local.get $add) (then (local.set $s00 (f32x4.add (local.get $s00) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s00))
    (if (local.get $add) (then (local.set $s01 (f32x4.add (local.get $s01) (v128.load offset=16 (local.get $c))))))
    (v128.store offset=16 (local.get $c) (local.get $s01)))

  (func $block1x4
    (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32)
    (local $b0 v128) (local $x v128)
    (local $s00 v128)
    (loop $each
      (local.set $b0 (v128.load (local.get $b)))
      (local.set $x (v128.load32_splat (local.get $a)))
      (local.set $s00 (f32x4.add (local.get $s00) (f32x4.mul (local.get $x) (local.get $b0))))
      (local.set $a (i32.add (local.get $a) (local.get $aColumn)))
      (local.set $b (i32.add (local.get $b) (local.get $bRow)))
      (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
    (if (local.get $add) (then (local.set $s00 (f32x4.add (local.get $s00) (v128.load (local.get $c))))))
    (v128.store (local.get $c) (local.get $s00)))

  (func $block1x1
    (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32)
    (local $b0 f32) (local $x f32)
    (local $s00 f32)
    (loop $each
      (local.set $b0 (f32.load (local.get $b)))
      (local.set $x (f32.load (local.get $a)))
      (local.set $s00 (f32.add (local.get $s00) (f32.mul (local.get $x) (local.get $b0))))
      (local.set $a (i32.add (local.get $a) (local.get $aColumn)))
      (local.set $b (i32.add (local.get $b) (local.get $bRow)))
      (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
    (if (local.get $add) (then (local.set $s00 (f32.add (local.get $s00) (f32.load (local.get $c))))))
    (f32.store (local.get $c) (local.get $s00)))

  ;; 8 列，从上到下：四行四行地算，剩下的一行一行地算
  (func $columns8
    (param $m i32) (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32)
    (block $done4
      (loop $each4
        (br_if $done4 (i32.lt_u (local.get $m) (i32.const 4)))
        (call $block4x8 (local.get $k) (local.get $a) (local.get $aRow) (local.get $aColumn)
          (local.get $b) (local.get $bRow) (local.get $c) (local.get $cRow) (local.get $add))
        (local.set $a (i32.add (local.get $a) (i32.mul (local.get $aRow) (i32.const 4))))
        (local.set $c (i32.add (local.get $c) (i32.mul (local.get $cRow) (i32.const 4))))
        (local.set $m (i32.sub (local.get $m) (i32.const 4)))
        (br $each4)))
    (block $done1
      (loop $each1
        (br_if $done1 (i32.lt_u (local.get $m) (i32.const 1)))
        (call $block1x8 (local.get $k) (local.get $a) (local.get $aRow) (local.get $aColumn)
          (local.get $b) (local.get $bRow) (local.get $c) (local.get $cRow) (local.get $add))
        (local.set $a (i32.add (local.get $a) (i32.mul (local.get $aRow) (i32.const 1))))
        (local.set $c (i32.add (local.get $c) (i32.mul (local.get $cRow) (i32.const 1))))
        (local.set $m (i32.sub (local.get $m) (i32.const 1)))
        (br $each1))))

  ;; 4 列，从上到下：四行四行地算，剩下的一行一行地算
  (func $columns4
    (param $m i32) (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32)
    (block $done4
      (loop $each4
        (br_if $done4 (i32.lt_u (local.get $m) (i32.const 4)))
        (call $block4x4 (local.get $k) (local.get $a) (local.get $aRow) (local.get $aColumn)
          (local.get $b) (local.get $bRow) (local.get $c) (local.get $cRow) (local.get $add))
        (local.set $a (i32.add (local.get $a) (i32.mul (local.get $aRow) (i32.const 4))))
        (local.set $c (i32.add (local.get $c) (i32.mul (local.get $cRow) (i32.const 4))))
        (local.set $m (i32.sub (local.get $m) (i32.const 4)))
        (br $each4)))
    (block $done1
      (loop $each1
        (br_if $done1 (i32.lt_u (local.get $m) (i32.const 1)))
        (call $block1x4 (local.get $k) (local.get $a) (local.get $aRow) (local.get $aColumn)
          (local.get $b) (local.get $bRow) (local.get $c) (local.get $cRow) (local.get $add))
        (local.set $a (i32.add (local.get $a) (i32.mul (local.get $aRow) (i32.const 1))))
        (local.set $c (i32.add (local.get $c) (i32.mul (local.get $cRow) (i32.const 1))))
        (local.set $m (i32.sub (local.get $m) (i32.const 1)))
        (br $each1))))

  ;; 1 列，从上到下：四行四行地算，剩下的一行一行地算
  (func $columns1
    (param $m i32) (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32)
    (block $done4
      (loop $each4
        (br_if $done4 (i32.lt_u (local.get $m) (i32.const 4)))
        (call $block4x1 (local.get $k) (local.get $a) (local.get $aRow) (local.get $aColumn)
          (local.get $b) (local.get $bRow) (local.get $c) (local.get $cRow) (local.get $add))
        (local.set $a (i32.add (local.get $a) (i32.mul (local.get $aRow) (i32.const 4))))
        (local.set $c (i32.add (local.get $c) (i32.mul (local.get $cRow) (i32.const 4))))
        (local.set $m (i32.sub (local.get $m) (i32.const 4)))
        (br $each4)))
    (block $done1
      (loop $each1
        (br_if $done1 (i32.lt_u (local.get $m) (i32.const 1)))
        (call $block1x1 (local.get $k) (local.get $a) (local.get $aRow) (local.get $aColumn)
          (local.get $b) (local.get $bRow) (local.get $c) (local.get $cRow) (local.get $add))
        (local.set $a (i32.add (local.get $a) (i32.mul (local.get $aRow) (i32.const 1))))
        (local.set $c (i32.add (local.get $c) (i32.mul (local.get $cRow) (i32.const 1))))
        (local.set $m (i32.sub (local.get $m) (i32.const 1)))
        (br $each1))))

  ;; B 的八列抄到 panel 里，连着放：原来的行隔得远，一遍遍地取，缓存里老是撞在一处
  (func $pack (param $k i32) (param $b i32) (param $bRow i32) (param $panel i32)
    (loop $each
      (v128.store (local.get $panel) (v128.load (local.get $b)))
      (v128.store offset=16 (local.get $panel) (v128.load offset=16 (local.get $b)))
      (local.set $panel (i32.add (local.get $panel) (i32.const 32)))
      (local.set $b (i32.add (local.get $b) (local.get $bRow)))
      (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1))))))

  ;; 从左到右：八列八列地算，剩下的四列、一列；panel 是放得下 k × 8 个数的一块地方
  (func (export "product")
    (param $m i32) (param $n i32) (param $k i32) (param $a i32) (param $aRow i32) (param $aColumn i32)
    (param $b i32) (param $bRow i32) (param $c i32) (param $cRow i32) (param $add i32) (param $panel i32)
    (block $done8
      (loop $each8
        (br_if $done8 (i32.lt_u (local.get $n) (i32.const 8)))
        (call $pack (local.get $k) (local.get $b) (local.get $bRow) (local.get $panel))
        (call $columns8 (local.get $m) (local.get $k) (local.get $a) (local.get $aRow) (local.get $aColumn)
          (local.get $panel) (i32.const 32) (local.get $c) (local.get $cRow) (local.get $add))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (local.set $c (i32.add (local.get $c) (i32.const 32)))
        (local.set $n (i32.sub (local.get $n) (i32.const 8)))
        (br $each8)))
    (block $done4
      (loop $each4
        (br_if $done4 (i32.lt_u (local.get $n) (i32.const 4)))
        (call $columns4 (local.get $m) (local.get $k) (local.get $a) (local.get $aRow) (local.get $aColumn)
          (local.get $b) (local.get $bRow) (local.get $c) (local.get $cRow) (local.get $add))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (local.set $c (i32.add (local.get $c) (i32.const 16)))
        (local.set $n (i32.sub (local.get $n) (i32.const 4)))
        (br $each4)))
    (block $done1
      (loop $each1
        (br_if $done1 (i32.lt_u (local.get $n) (i32.const 1)))
        (call $columns1 (local.get $m) (local.get $k) (local.get $a) (local.get $aRow) (local.get $aColumn)
          (local.get $b) (local.get $bRow) (local.get $c) (local.get $cRow) (local.get $add))
        (local.set $b (i32.add (local.get $b) (i32.const 4)))
        (local.set $c (i32.add (local.get $c) (i32.const 4)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $each1))))

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

  ;; 同一行抄许多遍：to 一共 bytes，一行 row
  (func (export "fillRows") (param $to i32) (param $line i32) (param $row i32) (param $bytes i32)
    (local $at i32) (local $end i32)
    (local.set $end (i32.add (local.get $to) (local.get $bytes)))
    (loop $eachRow
      (local.set $at (i32.const 0))
      (loop $each
        (v128.store (i32.add (local.get $to) (local.get $at)) (v128.load (i32.add (local.get $line) (local.get $at))))
        (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $row))))
      (br_if $eachRow (i32.lt_u (local.tee $to (i32.add (local.get $to) (local.get $row))) (local.get $end)))))

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
