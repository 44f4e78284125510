// What the mesh needs of ZeroMQ: a context, sockets that close themselves, and messages of several frames.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <zmq.h>

#include "overture/base/error.h"
#include "overture/rpc/message.h"

namespace overture::rpc {

struct CloseContext {
  void operator()(void* context) const { zmq_ctx_term(context); }
};
using ZmqContext = std::unique_ptr<void, CloseContext>;

struct CloseSocket {
  void operator()(void* socket) const { zmq_close(socket); }
};
using ZmqSocket = std::unique_ptr<void, CloseSocket>;

inline ZmqSocket make_socket(void* context, int type) {
  ZmqSocket socket(zmq_socket(context, type));
  const int unbounded = 0;
  const int linger = 5000;
  zmq_setsockopt(socket.get(), ZMQ_SNDHWM, &unbounded, sizeof unbounded);
  zmq_setsockopt(socket.get(), ZMQ_RCVHWM, &unbounded, sizeof unbounded);
  zmq_setsockopt(socket.get(), ZMQ_LINGER, &linger, sizeof linger);
  return socket;
}

inline void set_option(void* socket, int option, int value) {
  zmq_setsockopt(socket, option, &value, sizeof value);
}

// One frame; false when it could not be sent now.
inline bool send_frame(void* socket, const void* data, std::size_t size, bool more) {
  return zmq_send(socket, data, size, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) >= 0;
}
inline bool send_frame(void* socket, const std::string& text, bool more) {
  return send_frame(socket, text.data(), text.size(), more);
}
// Without a copy.
inline bool send_frame(void* socket, Buffer payload) {
  auto kept = std::make_unique<Buffer>(std::move(payload));
  zmq_msg_t message;
  const auto release = [](void* /*data*/, void* buffer) {
    const std::unique_ptr<Buffer> ends(static_cast<Buffer*>(buffer));
  };
  Buffer* const buffer = kept.release();  // the message's now
  zmq_msg_init_data(&message, buffer->data(), buffer->size(), release, buffer);
  if (zmq_msg_send(&message, socket, ZMQ_DONTWAIT) >= 0) return true;
  zmq_msg_close(&message);
  return false;
}

// What came, where it came; small ones are copied, since ZeroMQ keeps many of them in one block.
inline Buffer take_frame(zmq_msg_t& message) {
  constexpr std::size_t kCopied = 64 << 10;
  constexpr std::size_t kWireAlignment = 8;  // of what wire.h reads
  const std::size_t size = zmq_msg_size(&message);
  void* const data = zmq_msg_data(&message);
  if (size <= kCopied || reinterpret_cast<std::uintptr_t>(data) % kWireAlignment != 0) {
    Buffer frame(size);
    if (size > 0) std::memcpy(frame.data(), data, size);
    return frame;
  }
  auto kept = std::make_unique<zmq_msg_t>();
  zmq_msg_init(kept.get());
  zmq_msg_move(kept.get(), &message);
  const auto release = [](void* owner) {
    const std::unique_ptr<zmq_msg_t> ends(static_cast<zmq_msg_t*>(owner));
    zmq_msg_close(ends.get());
  };
  zmq_msg_t* const owner = kept.release();  // the buffer's now
  return Buffer(size, Buffer::allocator_type({zmq_msg_data(owner), owner, release}));
}

// All frames of the message that waits; none when there is none. `peer` gets the sender's address, if asked.
inline std::vector<Buffer> receive_frames(void* socket, std::string* peer = nullptr) {
  std::vector<Buffer> frames;
  for (bool more = true; more;) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    if (zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) < 0) {
      zmq_msg_close(&message);
      break;
    }
    more = zmq_msg_more(&message) != 0;
    const char* const address = peer == nullptr ? nullptr : zmq_msg_gets(&message, "Peer-Address");
    if (address != nullptr) *peer = address;
    frames.push_back(take_frame(message));
    zmq_msg_close(&message);
  }
  return frames;
}

inline std::string text_of(const Buffer& frame) {
  return {reinterpret_cast<const char*>(frame.data()), frame.size()};
}

}  // namespace overture::rpc
