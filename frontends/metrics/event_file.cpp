#include "frontends/metrics/event_file.h"

#include <protozero/pbf_writer.hpp>

#include "selfplay/data/crc32c.h"

namespace qirkat {
namespace {

// Field numbers of tensorflow/core/util/event.proto and framework/summary.proto.
enum class Event : protozero::pbf_tag_type {
  kWallTime = 1,
  kStep = 2,
  kFileVersion = 3,
  kSummary = 5
};
enum class Summary : protozero::pbf_tag_type { kValue = 1 };
enum class Value : protozero::pbf_tag_type { kTag = 1, kSimpleValue = 2 };

template <class Field>
constexpr protozero::pbf_tag_type Tag(Field field) {
  return static_cast<protozero::pbf_tag_type>(field);
}

void AppendLittleEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// TFRecord's mask keeps the CRC of data that itself holds CRCs from degenerating.
std::uint32_t MaskedCrc(std::string_view bytes) {
  const std::uint32_t crc = Crc32c(bytes.data(), bytes.size());
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

}  // namespace

std::string TfRecord(std::string_view bytes) {
  std::string frame;
  AppendLittleEndian(frame, bytes.size(), 8);
  AppendLittleEndian(frame, MaskedCrc(frame), 4);
  frame += bytes;
  AppendLittleEndian(frame, MaskedCrc(bytes), 4);
  return frame;
}

std::string EventFileHeader(double unix_seconds) {
  std::string bytes;
  protozero::pbf_writer event(bytes);
  event.add_double(Tag(Event::kWallTime), unix_seconds);
  event.add_string(Tag(Event::kFileVersion), "brain.Event:2");
  return TfRecord(bytes);
}

std::string ScalarsEvent(double unix_seconds, std::uint64_t step,
                         const std::vector<std::pair<std::string, double>>& values) {
  std::string bytes;
  {
    protozero::pbf_writer event(bytes);
    event.add_double(Tag(Event::kWallTime), unix_seconds);
    event.add_int64(Tag(Event::kStep), static_cast<std::int64_t>(step));
    protozero::pbf_writer summary(event, Tag(Event::kSummary));
    for (const auto& [tag, number] : values) {
      protozero::pbf_writer value(summary, Tag(Summary::kValue));
      value.add_string(Tag(Value::kTag), tag);
      value.add_float(Tag(Value::kSimpleValue), static_cast<float>(number));
    }
  }
  return TfRecord(bytes);
}

}  // namespace qirkat
