"""同一个网络，两张掩码：左边谁都看得见，右边只看得见前面的。"""

from canvas import INK, PALETTE
from miniature import Miniature

N, CELL = 5, 9.6
OCHRE, LINE = PALETTE["COLORS"]["ochre"][0], PALETTE["COLORS"]["line"][0]

m = Miniature("decoder_only")
for left, name, color, causal in ((6, "BERT", INK, False), (66, "GPT", OCHRE, True)):
    for i in range(N):
        for j in range(N):
            where = left + j * CELL + 0.6, 1 + i * CELL + 0.6, CELL - 1.2, CELL - 1.2
            if not causal or j <= i:
                m.box(*where, rx=1.5, fill=color)
            else:
                m.box(*where, rx=1.5, fill="none", stroke=LINE, stroke_width=1)
    m.text(name, left + N * CELL / 2, 62, 13)
m.save()
