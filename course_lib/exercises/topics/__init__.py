"""各章的练习，一个主题一个文件；一张表怎样写，见 `course_lib.exercises`。"""
