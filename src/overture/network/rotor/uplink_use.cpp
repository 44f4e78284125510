#include "overture/network/rotor/uplink_use.h"

#include "overture/base/check.h"

namespace overture::network::rotor {

UplinkUse::UplinkUse(int uplinks, Duration bin, int most_bins)
    : uplinks_(uplinks), bin_(bin), most_bins_(most_bins) {
  check(uplinks > 0 && bin > Duration{} && most_bins >= 2 && most_bins % 2 == 0,
        "uplinks, time and an even number of bins");
}

void UplinkUse::add(int uplink, std::int64_t when, std::int64_t bytes) {
  while (when / bin_.count() >= most_bins_) thin();
  const auto place = static_cast<std::size_t>(when / bin_.count() * uplinks_ + uplink);
  if (place >= sent_.size())
    sent_.resize((place / static_cast<std::size_t>(uplinks_) + 1) * static_cast<std::size_t>(uplinks_));
  sent_[place] += bytes;
}

int UplinkUse::bins() const { return uplinks_ == 0 ? 0 : static_cast<int>(sent_.size()) / uplinks_; }

void UplinkUse::thin() {
  const int before = bins();
  const auto width = static_cast<std::size_t>(uplinks_);
  for (int bin = 0; bin < before; ++bin) {
    for (std::size_t i = 0; i < width; ++i) {
      const std::int64_t bytes = sent_[static_cast<std::size_t>(bin) * width + i];
      std::int64_t& joined = sent_[static_cast<std::size_t>(bin / 2) * width + i];
      joined = bin % 2 == 0 ? bytes : joined + bytes;
    }
  }
  sent_.resize(static_cast<std::size_t>((before + 1) / 2) * width);
  bin_ *= 2;
}

}  // namespace overture::network::rotor
