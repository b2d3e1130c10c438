"""The words of the grammar, in both languages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Noun:
    """A thing. plural "" marks a mass noun; measure is the Chinese counting word."""

    zh: str
    en: str
    plural: str
    measure: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Someone who acts. third: the verb takes -s; be is am, are or is."""

    zh: str
    en: str
    be: str
    object: str
    possessive: str

    @property
    def third(self) -> bool:
        return self.be == "is"

    @property
    def past_be(self) -> str:
        return "were" if self.be == "are" else "was"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """A transitive verb and the kinds of noun it takes."""

    zh: str
    base: str
    third: str
    past: str
    ing: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place: to ("went to the park"), at ("at the park")."""

    zh: str
    to: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """An adjective and what it can be said of."""

    zh: str
    en: str
    of: tuple[str, ...]


def _rows(table: str) -> list[list[str]]:
    return [line.split("|") for line in table.strip().splitlines()]


NOUNS = [
    Noun(zh=z, en=e, plural=p, measure=m, kind=k)
    for z, e, p, m, k in _rows(
        """
苹果|apple|apples|个|food
香蕉|banana|bananas|根|food
橙子|orange|oranges|个|food
鸡蛋|egg|eggs|个|food
蛋糕|cake|cakes|个|food dish
饺子|dumpling|dumplings|个|food dish
西瓜|watermelon|watermelons|个|food
面包|bread||块|food dish
米饭|rice||碗|food
肉|meat||块|food
巧克力|chocolate||块|food
牛奶|milk||杯|drink
茶|tea||杯|drink
咖啡|coffee||杯|drink
水|water||杯|drink
果汁|juice||杯|drink
猫|cat|cats|只|animal
狗|dog|dogs|只|animal
鸟|bird|birds|只|animal
兔子|rabbit|rabbits|只|animal
老虎|tiger|tigers|只|animal
猴子|monkey|monkeys|只|animal
羊|sheep|sheep|只|animal
蝙蝠|bat|bats|只|animal
马|horse|horses|匹|animal
牛|cow|cows|头|animal
熊|bear|bears|头|animal
鱼|fish|fish|条|animal
手机|phone|phones|部|thing
电脑|computer|computers|台|thing
杯子|cup|cups|个|thing
球|ball|balls|个|thing
箱子|box|boxes|个|thing
礼物|gift|gifts|个|thing
帽子|hat|hats|顶|thing
雨伞|umbrella|umbrellas|把|thing
钥匙|key|keys|把|thing
刀|knife|knives|把|thing
照片|picture|pictures|张|thing
票|ticket|tickets|张|thing
花|flower|flowers|朵|thing
球棒|bat|bats|根|thing
铅笔|pencil|pencils|支|thing
自行车|bicycle|bicycles|辆|thing
衣服|dress|dresses|件|thing
桌子|table|tables|张|furniture
椅子|chair|chairs|把|furniture
床|bed|beds|张|furniture
门|door|doors|扇|opening
窗户|window|windows|扇|opening
书|book|books|本|text
报纸|newspaper|newspapers|份|text
信|letter|letters|封|text letter
电影|movie|movies|部|show
歌|song|songs|首|sound
音乐|music||种|topic sound
AI|AI|||topic
人工智能|artificial~intelligence|||topic
机器学习|machine~learning|||topic study
深度学习|deep~learning|||topic study
数学|math|||topic study
科学|science|||topic study
历史|history|||topic study
英语|English|||topic study
中文|Chinese|||topic study
法语|French|||topic study
编程|programming|||topic study
艺术|art|||topic
足球|football|||topic
"""
    )
]

SUBJECTS = [
    Subject(zh=z, en=e, be=b, object=o, possessive=p)
    for z, e, b, o, p in _rows(
        """
我|I|am|me|my
你|you|are|you|your
他|he|is|him|his
她|she|is|her|her
我们|we|are|us|our
他们|they|are|them|their
汤姆|Tom|is|Tom|Tom's
玛丽|Mary|is|Mary|Mary's
小明|Xiaoming|is|Xiaoming|Xiaoming's
我妈妈|my mother|is|my mother|my mother's
我爸爸|my father|is|my father|my father's
我的朋友|my friend|is|my friend|my friend's
我妹妹|my sister|is|my sister|my sister's
我哥哥|my brother|is|my brother|my brother's
老师|the teacher|is|the teacher|the teacher's
医生|the doctor|is|the doctor|the doctor's
孩子们|the children|are|the children|the children's
学生们|the students|are|the students|the students'
那个男孩|that boy|is|that boy|that boy's
那个女孩|that girl|is|that girl|that girl's
"""
    )
]

VERBS = [
    Verb(zh=z, base=b, third=t, past=p, ing=i, kinds=tuple(k.split()))
    for z, b, t, p, i, k in _rows(
        """
吃|eat|eats|ate|eating|food
喝|drink|drinks|drank|drinking|drink
买|buy|buys|bought|buying|food drink thing text furniture
卖|sell|sells|sold|selling|food drink thing text animal furniture
做|make|makes|made|making|dish
画|draw|draws|drew|drawing|animal
洗|wash|washes|washed|washing|thing animal
用|use|uses|used|using|thing
找|look~for|looks~for|looked~for|looking~for|thing animal text
读|read|reads|read|reading|text
写|write|writes|wrote|writing|letter
看|watch|watches|watched|watching|show
听|listen~to|listens~to|listened~to|listening~to|sound
学习|study|studies|studied|studying|study
打开|open|opens|opened|opening|opening
"""
    )
]

FEELINGS = _rows(
    """
喜欢|like|food drink animal thing text show sound topic
爱|love|food animal topic
讨厌|hate|food drink animal topic
"""
)

PLACES = [
    Place(zh=z, to=t, at=a)
    for z, t, a in _rows(
        """
学校|to school|at school
公园|to the park|in the park
银行|to the bank|at the bank
医院|to the hospital|in the hospital
商店|to the store|at the store
图书馆|to the library|in the library
火车站|to the station|at the station
机场|to the airport|at the airport
超市|to the supermarket|at the supermarket
博物馆|to the museum|in the museum
动物园|to the zoo|at the zoo
餐馆|to the restaurant|in the restaurant
办公室|to the office|in the office
河边|to the river|by the river
海边|to the beach|at the beach
北京|to Beijing|in Beijing
上海|to Shanghai|in Shanghai
中国|to China|in China
伦敦|to London|in London
"""
    )
]

PAST = _rows(
    """
昨天|yesterday
今天|today
上周|last week
今天早上|this morning
昨天晚上|last night
去年|last year
"""
)
FUTURE = _rows(
    """
明天|tomorrow
下周|next week
今天晚上|tonight
明年|next year
后天|the day after tomorrow
"""
)
DAILY = _rows(
    """
每天|every day
每天早上|every morning
每天晚上|every evening
周末|on weekends
"""
)
QUALITIES = [
    Quality(zh=z, en=e, of=tuple(k.split()))
    for z, e, k in _rows(
        """
高兴|happy|person
累|tired|person
忙|busy|person
生气|angry|person
聪明|smart|person animal
饿|hungry|person animal
漂亮|beautiful|person thing animal
年轻|young|person
可爱|cute|person animal
大|big|animal thing furniture food opening
小|small|animal thing furniture food opening
旧|old|thing furniture text
新|new|thing furniture text
贵|expensive|thing furniture food drink text
便宜|cheap|thing furniture food drink text
好吃|delicious|food
甜|sweet|food
红|red|thing
有趣|interesting|text show topic
难|difficult|study
重要|important|study
热|hot|drink
冷|cold|drink
"""
    )
]
JOBS = _rows(
    """
老师|teacher
学生|student
医生|doctor
工程师|engineer
司机|driver
厨师|cook
歌手|singer
护士|nurse
作家|writer
画家|painter
"""
)
NUMBERS = _rows(
    """
两|two
三|three
四|four
五|five
六|six
七|seven
八|eight
九|nine
十|ten
"""
)
DEEDS = _rows(
    """
游泳|swim|swims|swam|swimming
唱歌|sing|sings|sang|singing
跳舞|dance|dances|danced|dancing
睡觉|sleep|sleeps|slept|sleeping
跑步|run|runs|ran|running
工作|work|works|worked|working
做饭|cook|cooks|cooked|cooking
开车|drive|drives|drove|driving
哭|cry|cries|cried|crying
笑|laugh|laughs|laughed|laughing
"""
)
SPOTS = _rows(
    """
上|on|桌子 椅子 床 箱子
下面|under|桌子 椅子 床
里|in|箱子
旁边|beside|桌子 椅子 床 门 窗户
"""
)
