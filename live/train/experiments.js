// 带着猜的实验：点了链接，先问一句；猜过了才开始训练，训练完了才说答案。答案写在正文里（data-answer），这里只有问题。
globalThis.TrainExperiments = {
  copy: { question: "一层照着抄，两层照着抄，学得会吗？", options: ["都学得会", "只有两层学得会", "都学不会"], right: 1 },
  order: { question: "没有位置，倒写能答对几成？", options: ["一成左右，瞎猜", "三成多", "差不多全对"], right: 1 },
  turned: { question: "没有位置，没见过的“狗咬猫”，它答对几成？", options: ["一半，它分不清次序", "几乎全对", "几乎全错，比瞎猜还差"], right: 2 },
  lies: { question: "训练用的答案有一半是错的，考试还能答对几成？", options: ["五成", "七成", "差不多全对"], right: 2 },
  plus: { question: "四层，去掉注意力外面的加号，倒写还学得会吗？", options: ["学得会，慢一些", "学不会"], right: 1 },
  longer: { question: "八个字母数得清，十二个还数得清吗？", options: ["数得清", "差一些", "几乎都数错"], right: 2 },
  heads: { question: "加法进位，四个头换成一个头（宽度不变），够吗？", options: ["一样够", "有几次卡住", "学不会"], right: 1 },
  further: { question: "括号配对，练十二个，考十六个：没有位置的，比有位置的差多少？", options: ["差得多", "差不多", "反而好一些"], right: 2 },
  peek: { question: "照着抄，拿掉因果掩码，它学到的还是照着抄吗？", options: ["是，学得还更快", "不是，它偷看下一个"], right: 1 },
  counting: { question: "六百步读下来，猜没读过的两章，网络比得过数次数的吗？数的是：前一个字，或前四个字后面，各个字跟过几次。", options: ["两样都比得过", "与数前一个字的差不多", "都差得远"], right: 1 },
  large: { question: "学习率大十倍，照着抄；开头 20 步从小到大（预热），救得回来吗？", options: ["多半救得回来", "救不回来", "不预热也学得会"], right: 0 },
};
