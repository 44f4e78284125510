#include "overture/report/html.h"

#include "overture/base/check.h"
#include "overture/base/files.h"
#include "overture/report/page_template.h"
#include "overture/report/page_text.h"

namespace overture::report {

std::string page_text(const std::vector<std::filesystem::path>& folders) {
  const std::string_view page = page_template();
  constexpr std::string_view kPlace = "@OVERTURE_DATA@";
  const std::size_t place = page.find(kPlace);
  check(place != std::string_view::npos, "the template has a place for the data");
  std::string text(page.substr(0, place));
  text += gzip_base64(page_data(folders));
  text += page.substr(place + kPlace.size());
  return text;
}

void write_page(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& file) {
  write_file(file, page_text(folders));
}

void write_html(const std::filesystem::path& folder) { write_page({folder}, folder / "report.html"); }

}  // namespace overture::report
