;; Exact inner products of one query with many rows, for src/search/vector-index.ts.
;;
;; All addresses are bytes. A row holds `rowBytes` bytes, a multiple of 16; unused places are zero.
(module
  (import "env" "memory" (memory 1))

  ;; out[i] = sum(query[j] * rows[i][j]) as i32, of an int16 query and int8 rows. The caller keeps the sum
  ;; below 2^31 by how coarsely it rounds the query.
  (func (export "dot")
    (param $query i32) (param $row i32) (param $out i32) (param $count i32) (param $rowBytes i32)
    (local $end i32) (local $q i32) (local $x v128) (local $a v128) (local $b v128)
    (block $done
      (loop $rows
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (local.get $a))
        (local.set $q (local.get $query))
        (local.set $end (i32.add (local.get $row) (local.get $rowBytes)))
        (loop $places
          (local.set $x (v128.load (local.get $row)))
          (local.set $a (i32x4.add (local.get $a)
            (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $x)) (v128.load (local.get $q)))))
          (local.set $b (i32x4.add (local.get $b)
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $x)) (v128.load offset=16 (local.get $q)))))
          (local.set $q (i32.add (local.get $q) (i32.const 32)))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (br_if $places (i32.lt_u (local.get $row) (local.get $end))))
        (local.set $a (i32x4.add (local.get $a) (local.get $b)))
        (i32.store (local.get $out) (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
          (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $rows)))))
