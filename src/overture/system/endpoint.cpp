#include "overture/system/endpoint.h"

#include "overture/system/shared_bus.h"

namespace overture::system {
namespace {

class ConstantDelay final : public Endpoint {
 public:
  ConstantDelay(CycleClock& clock, Duration delay) : clock_(clock), delay_(delay) {}
  void pass(Bytes, const Preparation&, Action passed) override { clock_.after(delay_, passed); }

 private:
  CycleClock& clock_;
  Duration delay_;
};

}  // namespace

std::unique_ptr<Endpoint> make_endpoint(const SystemConfig& config, CycleClock& clock) {
  if (config.shared_bus) return std::make_unique<SharedBusEndpoint>(*config.shared_bus, config.cycle, clock);
  return std::make_unique<ConstantDelay>(clock, config.endpoint_delay);
}

}  // namespace overture::system
