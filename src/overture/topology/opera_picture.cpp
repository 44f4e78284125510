#include "overture/topology/opera_picture.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "overture/base/append.h"

namespace overture::topology {
namespace {

constexpr int kLeft = 56;
constexpr int kTop = 64;

// Neighbouring ToRs get hues far apart: steps of the golden angle.
std::string colour(int tor) {
  const double hue = std::fmod(137.508 * tor, 360.0);
  return fmt::format("hsl({:.0f},{}%,{}%)", hue, 60 + tor % 3 * 12, 46 + tor % 4 * 7);
}

struct Layout {
  int tors;
  int slices;
  double cell_width;
  double stripe;  // height of one uplink

  double height(int uplinks) const { return stripe * uplinks + 2; }
};

void draw_cell(std::string& out, const Opera& opera, const Layout& layout, int slice, int tor) {
  const double x = kLeft + slice * layout.cell_width;
  const double y = kTop + tor * layout.height(opera.uplinks());
  const double dark_share = to_us(opera.timing().dark) / to_us(opera.timing().slice());
  for (int uplink = 0; uplink < opera.uplinks(); ++uplink) {
    const int peer = opera.peer(slice, tor, uplink);
    const bool goes_dark = uplink == opera.dark_rotor(slice);
    const double width = layout.cell_width * (goes_dark ? 1 - dark_share : 1);
    const double top = y + uplink * layout.stripe;
    if (peer != tor) {
      append_format(out,
                    "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\">"
                    "<title>slice {}, ToR {}, uplink {}: ToR {}</title></rect>\n",
                    x, top, width, layout.stripe, colour(peer), slice, tor, uplink, peer);
    }
    if (goes_dark) {
      append_format(out,
                    "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#222\"/>\n",
                    x + width, top, layout.cell_width - width, layout.stripe);
    }
  }
}

void draw_labels(std::string& out, const Opera& opera, const Layout& layout) {
  const int step = std::max(1, layout.tors / 32);
  for (int tor = 0; tor < layout.tors; tor += step) {
    const double y = kTop + (tor + 0.7) * layout.height(opera.uplinks());
    append_format(out, "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"{}\">ToR {}</text>\n",
                  kLeft - 6, y, colour(tor), tor);
  }
  for (int slice = 0; slice < layout.slices; slice += step) {
    const double x = kLeft + (slice + 0.5) * layout.cell_width;
    append_format(out, "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, kTop - 6, slice);
  }
}

std::string title(const Opera& opera, const Layout& layout) {
  const std::string all = layout.tors == opera.tors()
                              ? std::string()
                              : fmt::format(" (the first {} ToRs and slices)", layout.tors);
  return fmt::format("{} ToRs, {} rotors, {} hosts; slice {}, of which {} dark; cycle {}{}", opera.tors(),
                     opera.uplinks(), opera.hosts(), to_string(opera.timing().slice()),
                     to_string(opera.timing().dark), to_string(opera.cycle()), all);
}

}  // namespace

std::string opera_picture(const Opera& opera, int most_tors) {
  const int shown = std::min(opera.tors(), most_tors);
  const Layout layout{.tors = shown,
                      .slices = shown,
                      .cell_width = std::clamp(1200.0 / shown, 16.0, 64.0),
                      .stripe = std::clamp(900.0 / shown / opera.uplinks(), 2.0, 10.0)};
  const double width =
      std::max(kLeft + layout.slices * layout.cell_width + 16, 840.0);  // the title needs room
  const double height = kTop + layout.tors * layout.height(opera.uplinks()) + 28;
  std::string out;
  append_format(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                "width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
                "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                "<text x=\"{2}\" y=\"20\" font-size=\"14\">Opera schedule: {3}</text>\n"
                "<text x=\"{2}\" y=\"38\" fill=\"#555\">one column per slice; a stripe per uplink in the "
                "colour of the ToR it leads to; black: the rotor is dark; empty: a loop</text>\n",
                width, height, kLeft, title(opera, layout));
  for (int slice = 0; slice < layout.slices; ++slice) {
    for (int tor = 0; tor < layout.tors; ++tor) draw_cell(out, opera, layout, slice, tor);
  }
  draw_labels(out, opera, layout);
  out += "</svg>\n";
  return out;
}

}  // namespace overture::topology
