#include "overture/report/trace_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"

namespace overture::report {
namespace {

// nlohmann's parser calls these. `depth_` counts open objects and arrays; an event is an object that opens
// right inside the list of events.
class Handler : public nlohmann::json_sax<Json> {
 public:
  Handler(const std::function<void(const TraceEvent&)>& event, TraceRead& read)
      : event_(event), read_(read) {}

  bool null() override { return true; }
  bool boolean(bool value) override { return text(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override { return number(value); }
  bool number_float(number_float_t value, const string_t& /*as_written*/) override { return number(value); }
  bool string(string_t& value) override { return text(value); }
  bool binary(binary_t& /*value*/) override { return true; }
  bool key(string_t& value) override {
    key_ = value;
    return true;
  }

  bool start_object(std::size_t /*elements*/) override {
    if (list_depth_ != 0 && depth_ == list_depth_) current_ = {};
    in_args_ = in_event() && key_ == "args";
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    if (list_depth_ != 0 && depth_ == list_depth_) event_(current_);
    if (depth_ == list_depth_ + 1) in_args_ = false;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    ++depth_;
    if (list_depth_ == 0 && (depth_ == 1 || (depth_ == 2 && key_ == "traceEvents"))) list_depth_ = depth_;
    return true;
  }
  bool end_array() override {
    if (depth_ == list_depth_) list_depth_ = 0;
    --depth_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    read_.whole = false;
    return false;
  }

 private:
  bool in_event() const { return list_depth_ != 0 && depth_ == list_depth_ + 1; }
  bool directly_in_args() const { return in_args_ && depth_ == list_depth_ + 2; }

  template <class Number>
  bool number(Number value) {
    if (directly_in_args()) {
      current_.args.emplace_back(key_, fmt::format("{}", value));
    } else if (in_event()) {
      if (key_ == "ts") current_.ts_us = static_cast<double>(value);
      if (key_ == "dur") current_.dur_us = static_cast<double>(value);
      if (key_ == "pid") current_.pid = static_cast<std::int64_t>(value);
      if (key_ == "tid") current_.tid = static_cast<std::int64_t>(value);
      if (key_ == "id") current_.id = static_cast<std::int64_t>(value);
    }
    return true;
  }

  bool text(const std::string& value) {
    if (directly_in_args()) {
      current_.args.emplace_back(key_, value);
    } else if (in_event()) {
      if (key_ == "ph" && !value.empty()) current_.phase = value.front();
      if (key_ == "name") current_.name = value;
    } else if (depth_ == 1 && key_ == "overture_note") {
      read_.note = value;
    }
    return true;
  }

  const std::function<void(const TraceEvent&)>& event_;  // outlives the parse
  TraceRead& read_;                                      // likewise
  int depth_ = 0;
  int list_depth_ = 0;  // of the list of events while it is open
  bool in_args_ = false;
  std::string key_;
  TraceEvent current_;
};

}  // namespace

TraceRead read_trace(std::istream& input, const std::function<void(const TraceEvent&)>& event) {
  TraceRead read;
  Handler handler(event, read);
  Json::sax_parse(input, &handler);
  return read;
}

}  // namespace overture::report
