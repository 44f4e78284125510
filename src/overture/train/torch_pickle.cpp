#include "overture/train/torch_pickle.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/data/byte_source.h"
#include "overture/train/weights.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;

void put_text(const std::string& text, std::string& out) {
  const auto size = static_cast<std::uint32_t>(text.size());
  out += 'X';
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

void put_number(std::int64_t number, std::string& out) {
  out += "\x8a\x08";
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put_tuple(const std::vector<std::int64_t>& numbers, std::string& out) {
  out += '(';
  for (const std::int64_t number : numbers) put_number(number, out);
  out += 't';
}

// Of what lies row by row; `shape` may come from a stranger.
std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::uint64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0; stride *= static_cast<std::uint64_t>(shape[i]))
    strides[i] = static_cast<std::int64_t>(stride);
  return strides;
}

// torch._utils._rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks)
void put_tensor(const WeightsArray& array, std::size_t number, std::string& out) {
  out += "ctorch._utils\n_rebuild_tensor_v2\n((";
  put_text("storage", out);
  out += "ctorch\nFloatStorage\n";
  put_text(std::to_string(number), out);
  put_text("cpu", out);
  put_number(array.size(), out);
  out += "tQ";
  put_number(0, out);
  put_tuple(array.shape, out);
  put_tuple(strides_of(array.shape), out);
  out +=
      "\x89"
      "ccollections\nOrderedDict\n)RtR";
}

// What a pickle is made of, as far as it is known here.
struct Object {
  enum class Kind : std::uint8_t { none, number, text, tuple, dict, global, storage, tensor, mark };
  Kind kind = Kind::none;
  std::int64_t number = 0;         // of a tensor: where it starts
  std::string text;                // of a storage: its number, of a global: its name
  std::vector<Object> items = {};  // of a dict: key, value, key, value
  int depth = 0;                   // of what is in it
};

// A state_dict is a dictionary of tensors, which are made of tuples of numbers.
constexpr int kDeepest = 20;
constexpr std::size_t kLargestPickle = std::size_t{64} << 20;
// Of objects that a pickle takes out of its memo, or puts there; a tensor needs some forty.
constexpr std::size_t kMostCopies = 4'000'000;

std::size_t count(const Object& object) {
  std::size_t objects = 1;
  for (const Object& item : object.items) objects += count(item);
  return objects;
}

// Python's pickle machine with the operations that torch.save() uses for a dictionary of tensors.
class Unpickler {
 public:
  Unpickler(std::string text, fs::path file) : text_(std::move(text)), file_(std::move(file)) {}

  Object run() {
    if (text_.size() > 1 && text_[0] == '\x80') at_ = 2;
    while (at_ < text_.size()) {
      const char operation = text_[at_++];
      if (operation == '.') return pop();
      step(operation);
    }
    fail();
  }

 private:
  using Kind = Object::Kind;

  [[noreturn]] void fail() const {
    throw UserError({.file = file_.string()}, "does not hold tensors with names",
                    "save with torch.save(model.state_dict(), FILE)");
  }

  void step(char operation) {
    switch (operation) {
      case '(': push({.kind = Kind::mark}); return;
      case '}': push({.kind = Kind::dict}); return;
      case ')': push({.kind = Kind::tuple}); return;
      case 'N': push({}); return;
      case '\x88': push({.kind = Kind::number, .number = 1}); return;
      case '\x89': push({.kind = Kind::number}); return;
      case 'K': push({.kind = Kind::number, .number = get<std::uint8_t>()}); return;
      case 'M': push({.kind = Kind::number, .number = get<std::uint16_t>()}); return;
      case 'J': push({.kind = Kind::number, .number = get<std::int32_t>()}); return;
      case '\x8a': push({.kind = Kind::number, .number = long_number()}); return;
      case 'X': push({.kind = Kind::text, .text = bytes(get<std::uint32_t>())}); return;
      case '\x8c': push({.kind = Kind::text, .text = bytes(get<std::uint8_t>())}); return;
      case 'c': push({.kind = Kind::global, .text = global()}); return;
      case 'q': memo_[get<std::uint8_t>()] = copied(top()); return;
      case 'r': memo_[get<std::uint32_t>()] = copied(top()); return;
      case 'h': push(copied(memo(get<std::uint8_t>()))); return;
      case 'j': push(copied(memo(get<std::uint32_t>()))); return;
      case 't': push({.kind = Kind::tuple, .items = to_mark()}); return;
      case '\x85': make_tuple(1); return;
      case '\x86': make_tuple(2); return;
      case '\x87': make_tuple(3); return;
      case 'Q': push(storage(pop())); return;
      case 'R': reduce(); return;
      case 's': set_items(pop_many(2)); return;
      case 'u': set_items(to_mark()); return;
      case 'b': pop(); return;  // what a state_dict knows of versions
      default: fail();
    }
  }

  template <class T>
  T get() {
    if (text_.size() - at_ < sizeof(T)) fail();
    T value;
    std::memcpy(&value, text_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::string bytes(std::size_t size) {
    if (text_.size() - at_ < size) fail();
    at_ += size;
    return text_.substr(at_ - size, size);
  }
  std::string line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string::npos) fail();
    const std::string found = text_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  std::string global() {
    const std::string module = line();
    return module + "." + line();
  }
  std::int64_t long_number() {
    const std::string raw = bytes(get<std::uint8_t>());
    if (raw.size() > 8) fail();
    std::int64_t value = 0;
    std::memcpy(&value, raw.data(), raw.size());
    return value;
  }

  void push(Object object) {
    for (const Object& item : object.items) note_depth(object, item);
    stack_.push_back(std::move(object));
  }
  void note_depth(Object& outer, const Object& item) const {
    outer.depth = std::max(outer.depth, item.depth + 1);
    if (outer.depth > kDeepest) fail();
  }
  // A few bytes could ask for copies of copies of copies.
  Object copied(const Object& object) {
    copies_ += count(object);
    if (copies_ > kMostCopies) fail();
    return object;
  }
  Object& top() {
    if (stack_.empty()) fail();
    return stack_.back();
  }
  Object pop() {
    Object object = std::move(top());
    stack_.pop_back();
    return object;
  }
  const Object& memo(std::uint32_t number) const {
    const auto found = memo_.find(number);
    if (found == memo_.end()) fail();
    return found->second;
  }
  std::vector<Object> pop_many(std::size_t count) {
    if (stack_.size() < count) fail();
    std::vector<Object> items(std::make_move_iterator(stack_.end() - static_cast<std::ptrdiff_t>(count)),
                              std::make_move_iterator(stack_.end()));
    stack_.resize(stack_.size() - count);
    return items;
  }
  std::vector<Object> to_mark() {
    std::size_t count = 0;
    while (count < stack_.size() && stack_[stack_.size() - 1 - count].kind != Kind::mark) ++count;
    std::vector<Object> items = pop_many(count);
    if (pop().kind != Kind::mark) fail();
    return items;
  }
  void make_tuple(std::size_t count) { push({.kind = Kind::tuple, .items = pop_many(count)}); }

  void set_items(std::vector<Object> items) {
    if (top().kind != Kind::dict || items.size() % 2 != 0) fail();
    for (const Object& item : items) note_depth(top(), item);
    std::move(items.begin(), items.end(), std::back_inserter(top().items));
  }

  // ('storage', torch.FloatStorage, '0', 'cpu', numbers)
  Object storage(const Object& id) const {
    if (id.kind != Kind::tuple || id.items.size() != 5) fail();
    if (id.items[1].text != "torch.FloatStorage")
      throw UserError({.file = file_.string()}, id.items[1].text + " is not torch.FloatStorage",
                      "weights are of float32");
    return {.kind = Kind::storage, .text = id.items[2].text};
  }

  void reduce() {
    const Object arguments = pop();
    const Object function = pop();
    if (function.text == "collections.OrderedDict") {
      push({.kind = Kind::dict});
    } else if (function.text == "torch._utils._rebuild_tensor_v2" && arguments.items.size() >= 4) {
      push({.kind = Kind::tensor,
            .number = arguments.items[1].number,
            .text = arguments.items[0].text,
            .items = {arguments.items[2], arguments.items[3]}});
    } else if (function.text == "torch._utils._rebuild_parameter" && !arguments.items.empty()) {
      push(arguments.items[0]);
    } else {
      fail();
    }
  }

  std::string text_;
  fs::path file_;
  std::size_t at_ = 0;
  std::size_t copies_ = 0;
  std::vector<Object> stack_;
  std::map<std::uint32_t, Object> memo_;
};

std::vector<std::int64_t> tuple_numbers(const Object& tuple) {
  std::vector<std::int64_t> numbers;
  for (const Object& item : tuple.items) numbers.push_back(item.number);
  return numbers;
}

std::string read_pickle(const fs::path& file, const data::ZipMember& member) {
  if (member.size > kLargestPickle)
    throw UserError({.file = file.string()}, member.name + " is larger than 64 MiB",
                    "save with torch.save(model.state_dict(), FILE)");
  std::string text(member.size, '\0');
  text.resize(data::read_fully(*data::open_zip_member(file, member), text.data(), text.size()));
  return text;
}

}  // namespace

std::string pickle_of(const std::vector<WeightsArray>& arrays) {
  std::string out = "\x80\x02}(";
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    put_text(arrays[i].name, out);
    put_tensor(arrays[i], i, out);
  }
  return out + "u.";
}

std::map<std::string, TorchTensor> torch_tensors(const fs::path& file,
                                                 const std::vector<data::ZipMember>& members) {
  const auto pickle = std::find_if(members.begin(), members.end(),
                                   [](const auto& one) { return one.name.ends_with("/data.pkl"); });
  if (pickle == members.end())
    throw UserError({.file = file.string()}, "is a zip archive, but neither npz nor torch's");
  const std::string root = pickle->name.substr(0, pickle->name.size() - 8);
  const Object dict = Unpickler(read_pickle(file, *pickle), file).run();
  std::map<std::string, TorchTensor> tensors;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const Object& tensor = dict.items[i + 1];
    if (tensor.kind != Object::Kind::tensor) continue;
    const std::vector<std::int64_t> shape = tuple_numbers(tensor.items[0]);
    const auto storage = std::find_if(members.begin(), members.end(), [&](const auto& one) {
      return one.name == root + "data/" + tensor.text;
    });
    if (storage == members.end() || tuple_numbers(tensor.items[1]) != strides_of(shape))
      throw UserError({.file = file.string()}, dict.items[i].text + " does not lie row by row",
                      "save with .contiguous()");
    tensors[dict.items[i].text] = {.storage = *storage, .offset = tensor.number, .shape = shape};
  }
  return tensors;
}

void read_tensor(const fs::path& file, const TorchTensor& tensor, WeightsArray& into) {
  const auto source = data::open_zip_member(file, tensor.storage);
  bool whole = tensor.offset >= 0;
  std::array<char, 1 << 14> skipped;
  for (std::int64_t left = tensor.offset; whole && left > 0;) {
    const auto bytes =
        static_cast<std::size_t>(std::min<std::int64_t>(left, skipped.size() / sizeof(float))) *
        sizeof(float);
    whole = data::read_fully(*source, skipped.data(), bytes) == bytes;
    left -= static_cast<std::int64_t>(bytes / sizeof(float));
  }
  into.visit([&](std::span<float> numbers) {
    whole = whole && data::read_fully(*source, reinterpret_cast<char*>(numbers.data()),
                                      numbers.size_bytes()) == numbers.size_bytes();
  });
  if (!whole) throw UserError({.file = file.string()}, into.name + " is cut short");
}

}  // namespace overture::train
