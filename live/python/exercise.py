"""代替 course_lib/exercises/exercise.py：一章的练习的表在网页里照原样读进来，用到的就是这几样；要数据类的，Brython 太慢。"""


class Symptom:
    def __init__(self, example, shows=lambda *_: True):
        self.example, self.shows = example, shows


class Exercise:
    accepts = observe = cases = None
    atol = 1e-5

    def __init__(self, name, **fields):
        self.name = name
        for field in fields:
            setattr(self, field, fields[field])

    def wrong_ways(self):
        """（提示，错答）逐个列出，次序与成书时的相同。"""
        return [
            (hint, way)
            for hint, ways in self.wrong.items()
            for way in (ways if isinstance(ways, list) else [ways])
        ]
