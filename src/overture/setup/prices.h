// The price list of a network (network/cost.h) as a YAML file that users copy and edit: examples/prices.yaml
// holds the defaults, with where they come from. The only reader of such files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "overture/network/cost.h"
#include "overture/setup/visitors.h"

namespace overture::setup {

// What a list leaves out has its default. Throws UserError.
network::Prices load_prices(const std::filesystem::path& file);
network::Prices parse_prices(std::string_view text, const std::string& file);

std::vector<Explanation> explain_prices();

}  // namespace overture::setup
