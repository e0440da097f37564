"""几个测试文件共用的、在网页里运行的脚本。"""

# web.dev 的定义：相隔不到 1 秒、总长不到 5 秒的移动算作一段，取最大的一段
WATCH_SHIFTS = """
if (window === top) {
  let first = 0, last = 0, sum = 0;
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      if (entry.startTime - last > 1000 || entry.startTime - first > 5000) [first, sum] = [entry.startTime, 0];
      last = entry.startTime;
      sum += entry.value;
      window.shift = Math.max(window.shift, sum);
    }
  }).observe({type: 'layout-shift', buffered: true});
}"""
