#include "overture/study/opera_dlrm/report.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "overture/base/text.h"
#include "overture/study/opera_dlrm/figures.h"

namespace overture::study::opera_dlrm {
namespace {

constexpr const char* kSource =
    "C. Imes, A. Rittenbach, P. Xie, D. I. D. Kang, J. P. Walters, S. P. Crago: Evaluating Deep Learning "
    "Recommendation Model Training Scalability with the Dynamic Opera Network, EuroMLSys 2024, and its "
    "poster.";
constexpr const char* kClaim =
    "Training DLRMs on Opera with a distributed parameter server takes less time than on an equivalent fat "
    "tree with "
    "a ring all-reduce: 1.20 times as fast at 16 nodes, 1.14 at 128, 0.93 at 1,024, and up to 1.79.";

std::string headline_text(const std::vector<StudyRow>& rows, const std::vector<StudyRow>& packets) {
  std::string text = finding(rows);
  std::vector<double> all;
  for (const Headline& headline : headlines()) {
    const auto values = finding_of(headline, packets).packets;
    all.insert(all.end(), values.begin(), values.end());
  }
  if (all.empty()) return text;
  const auto [least, most] = std::ranges::minmax(all);
  if (!text.empty()) text += " ";
  return text +
         fmt::format(
             "With packets, as published, the ratios of the paper's headline come out between {:.2f} and "
             "{:.2f}, depending on the seed: timeouts of the fat tree's transport decide.",
             least, most);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> study_terms() {
  return {{"as published",
           "with every artefact of the published runs: 8 bytes per element, tables one after the "
           "other at a fitted time, a fat-tree transport whose SYNs carry no time stamp"},
          {"sound",
           "with none of them: DCTCP by RFC 8257, 4 bytes per element, tables at the time that their "
           "memory traffic needs"},
          {"fluid", "the flow backend: fair shares of links, no queues, no losses, no timeouts"},
          {"packets", "the packet backend: queues, losses, timeouts; seeds draw other paths"},
          {"dps", "distributed parameter server: every node sums up a share of the gradients"}};
}

std::string terms_text() {
  std::string text;
  for (const auto& [term, meaning] : study_terms())
    text += wrap(fmt::format("{}: {}", term, meaning), 80, 2) + "\n";
  return text;
}

std::vector<StudyCell> cell_pages(const std::vector<FinishedCell>& cells) {
  std::vector<StudyCell> pages;
  for (const FinishedCell& finished : cells) {
    const std::string cell = name(finished.cell);
    pages.push_back({.name = cell,
                     .folder = "cells/" + cell,
                     .command = "overture study opera-dlrm --cell " + cell,
                     .numbers = {{"iteration_us", to_us(finished.result.iteration)},
                                 {"exposed_us", to_us(finished.result.exposed)},
                                 {"traffic_fraction", finished.result.traffic_fraction},
                                 {"timeouts", static_cast<double>(finished.result.timeouts)}}});
  }
  return pages;
}

StudyReport opera_report(const std::vector<FinishedCell>& cells, const std::vector<StudyRow>& rows,
                         const std::vector<StudyRow>& packets, bool with_figures) {
  std::vector<StudyRow> all = rows;
  for (const StudyRow& row : packets) {
    if (std::ranges::find(rows, row.cell, &StudyRow::cell) == rows.end()) all.push_back(row);
  }
  StudyReport report{.study = "opera-dlrm",
                     .title = "Opera against a fat tree for DLRM training",
                     .source = kSource,
                     .claim = kClaim,
                     .headline = headline_text(rows, packets),
                     .terms = study_terms(),
                     .claims = headline_claims(headlines(), all),
                     .tables = {{"matrix.csv", study_csv(cells)}},
                     .cells = cell_pages(cells)};
  const auto same = same_reduce_claims(rows);
  report.claims.insert(report.claims.end(), same.begin(), same.end());
  report.figures.push_back(headline_figure(headlines(), all));
  if (with_figures) {
    auto figures = study_figures(rows);
    report.figures.insert(report.figures.end(), std::make_move_iterator(figures.begin()),
                          std::make_move_iterator(figures.end()));
  }
  return report;
}

}  // namespace overture::study::opera_dlrm
