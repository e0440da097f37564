"""把成好的书印成 PDF：每本书一份 A4，由测试用的 Chromium 从网页印出，写进 _build/pdf/。

依次：`capture` 打开每一页，等图都画好，取来正文；`article` 去掉纸上用不着的；`volume` 把各页连同封面与目录合成一页；
`press` 把它印出来，`finish` 给印好的 PDF 写上书签，`characters` 理顺复制出来的字。
合成一页再印，字体只有一份，书内的链接也就在 PDF 里面。
"""
