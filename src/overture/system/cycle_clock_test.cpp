#include "overture/system/cycle_clock.h"

#include <string>

#include <gtest/gtest.h>

namespace overture::system {
namespace {

using namespace literals;

// What ran, and when by the event queue's own time.
struct Log {
  sim::EventQueue& events;
  std::string order;
  std::vector<Duration> times;

  void add(char what) {
    order += what;
    times.push_back(events.now().time_since_epoch());
  }
};

TEST(CycleClock, TellsTheStartOfTheCycle) {
  sim::EventQueue events;
  CycleClock clock(events, 1ns);
  events.at(Time{2700_ps}, [&] { EXPECT_EQ(clock.now(), Time{2ns}); });
  events.run();
  EXPECT_EQ(events.executed(), 1U);
}

TEST(CycleClock, RunsCallbacksOfOneCycleTogetherWhenTheFirstThatWasAskedForIsDue) {
  sim::EventQueue events;
  Log log{events};
  CycleClock clock(events, 1ns);
  clock.after(5700_ps, [&] { log.add('a'); });
  clock.after(5200_ps, [&] { log.add('b'); });  // same cycle, so it waits for the first
  clock.after(6100_ps, [&] { log.add('d'); });
  clock.after(5900_ps, [&] { log.add('c'); });  // same cycle, so it does not wait for its own time
  events.run();
  EXPECT_EQ(log.order, "abcd");
  EXPECT_EQ(log.times, (std::vector<Duration>{5700_ps, 5700_ps, 5700_ps, 6100_ps}));
}

TEST(CycleClock, ACallbackThatAsksForNoDelayGetsItAfterTheOthersOfItsCycle) {
  sim::EventQueue events;
  Log log{events};
  CycleClock clock(events, 1ns);
  clock.after(5ns, [&] {
    log.add('a');
    clock.after(Duration{}, [&] { log.add('c'); });
  });
  clock.after(5ns, [&] { log.add('b'); });
  events.at(Time{5ns}, [&] { log.add('d'); });  // not the clock's: the cycle is not interrupted
  events.run();
  EXPECT_EQ(log.order, "abcd");
}

TEST(CycleClock, ACycleThatIsOverStartsAnew) {
  sim::EventQueue events;
  Log log{events};
  CycleClock clock(events, 1ns);
  clock.after(5200_ps, [&] { log.add('a'); });
  events.at(Time{5400_ps}, [&] { clock.after(300_ps, [&] { log.add('b'); }); });
  events.run();
  EXPECT_EQ(log.times, (std::vector<Duration>{5200_ps, 5700_ps}));
}

TEST(CycleClock, ManyCyclesAtOnceKeepApart) {
  sim::EventQueue events;
  Log log{events};
  CycleClock clock(events, 1ns);
  for (const char what : {'e', 'a', 'd', 'b', 'c'}) {
    clock.after(Nanoseconds{what - 'a'}, [&log, what] { log.add(what); });
    clock.after(Nanoseconds{what - 'a'}, [&log, what] { log.add(static_cast<char>(what - 'a' + 'A')); });
  }
  events.run();
  EXPECT_EQ(log.order, "aAbBcCdDeE");
}

TEST(CycleClock, WithACycleOfAPicosecondIsTheEventQueue) {
  sim::EventQueue events;
  Log log{events};
  CycleClock clock(events, 1_ps);
  clock.after(5ns, [&] {
    log.add('a');
    clock.after(Duration{}, [&] { log.add('d'); });
  });
  events.at(Time{5ns}, [&] { log.add('b'); });  // between the two, as it was asked for between them
  clock.after(5ns, [&] { log.add('c'); });
  events.run();
  EXPECT_EQ(log.order, "abcd");
}

}  // namespace
}  // namespace overture::system
