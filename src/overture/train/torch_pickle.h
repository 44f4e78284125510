// What torch.save() writes beside the numbers: a pickle that says which tensor has which name and shape. Of
// Python's many objects, only those are known here that a dictionary of tensors is made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "overture/data/zip.h"

namespace overture::train {

struct WeightsArray;

// Array i's numbers are in the archive's data/i.
std::string pickle_of(const std::vector<WeightsArray>& arrays);

struct TorchTensor {
  data::ZipMember storage;
  std::int64_t offset = 0;  // in numbers
  std::vector<std::int64_t> shape;
};

// By name. Throws UserError when the file holds something else, or tensors that do not lie row by row.
std::map<std::string, TorchTensor> torch_tensors(const std::filesystem::path& file,
                                                 const std::vector<data::ZipMember>& members);
void read_tensor(const std::filesystem::path& file, const TorchTensor& tensor, WeightsArray& into);

}  // namespace overture::train
