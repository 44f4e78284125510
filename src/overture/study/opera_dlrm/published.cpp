#include "overture/study/opera_dlrm/published.h"

#include <array>
#include <string_view>

namespace overture::study::opera_dlrm {
namespace {

using system::AlgorithmKind;

struct Row {
  std::string_view model;
  std::string_view variant;
  int nodes;
  StudyNetwork network;
  AlgorithmKind all_reduce;
  std::int64_t ps;
  bool plotted;
};

// The spreadsheets of the evaluation's repository (cimes-isi/2024-euromlsys-opera-dlrm-eval).
constexpr std::array kRows{
    Row{"A", "baseline", 16, StudyNetwork::fat_tree, kRing, 36'818'028'432'529, true},
    Row{"A", "baseline", 16, StudyNetwork::fat_tree, kDps, 29'826'308'769'255, true},
    Row{"A", "baseline", 16, StudyNetwork::topoopt, kRing, 31'051'509'427'346, true},
    Row{"A", "baseline", 16, StudyNetwork::opera, kDps, 30'763'466'129'760, true},
    Row{"A", "baseline", 128, StudyNetwork::fat_tree, kRing, 4'730'327'122'916, true},
    Row{"A", "baseline", 128, StudyNetwork::fat_tree, kDps, 4'083'508'833'201, true},
    Row{"A", "baseline", 128, StudyNetwork::topoopt, kRing, 4'741'642'754'218, true},
    Row{"A", "baseline", 128, StudyNetwork::opera, kRing, 3'844'434'627'328, false},
    Row{"A", "baseline", 128, StudyNetwork::opera, kDps, 4'162'758'327'328, true},
    Row{"A", "baseline", 1024, StudyNetwork::fat_tree, kRing, 723'327'503'227, true},
    Row{"A", "baseline", 1024, StudyNetwork::topoopt, kRing, 1'431'912'859'308, true},
    Row{"A", "baseline", 1024, StudyNetwork::opera, kRing, 9'946'184'780'000, false},
    Row{"A", "baseline", 1024, StudyNetwork::opera, kDps, 781'648'707'904, true},
    Row{"A", "bs_1048576", 16, StudyNetwork::fat_tree, kRing, 71'608'872'963'872, true},
    Row{"A", "bs_1048576", 16, StudyNetwork::fat_tree, kDps, 59'277'635'026'875, true},
    Row{"A", "bs_1048576", 16, StudyNetwork::topoopt, kRing, 59'777'164'875'783, true},
    Row{"A", "bs_1048576", 16, StudyNetwork::opera, kDps, 61'831'004'729'824, true},
    Row{"A", "bs_1048576", 128, StudyNetwork::fat_tree, kRing, 9'467'728'123'353, true},
    Row{"A", "bs_1048576", 128, StudyNetwork::fat_tree, kDps, 8'107'972'153'629, true},
    Row{"A", "bs_1048576", 128, StudyNetwork::topoopt, kRing, 10'061'308'331'513, true},
    Row{"A", "bs_1048576", 128, StudyNetwork::opera, kRing, 7'679'978'877'760, false},
    Row{"A", "bs_1048576", 128, StudyNetwork::opera, kDps, 7'945'408'257'760, true},
    Row{"A", "bs_1048576", 1024, StudyNetwork::fat_tree, kRing, 2'082'297'029'345, true},
    Row{"A", "bs_1048576", 1024, StudyNetwork::topoopt, kRing, 2'963'886'173'675, true},
    Row{"A", "bs_1048576", 1024, StudyNetwork::opera, kRing, 10'011'353'840'000, false},
    Row{"A", "bs_1048576", 1024, StudyNetwork::opera, kDps, 1'276'756'268'352, true},
    Row{"A", "bs_2097152", 16, StudyNetwork::fat_tree, kRing, 117'737'769'566'544, true},
    Row{"A", "bs_2097152", 16, StudyNetwork::fat_tree, kDps, 117'837'123'015'923, true},
    Row{"A", "bs_2097152", 16, StudyNetwork::topoopt, kRing, 120'936'612'612'845, true},
    Row{"A", "bs_2097152", 16, StudyNetwork::opera, kDps, 123'278'892'016'608, true},
    Row{"A", "bs_2097152", 128, StudyNetwork::fat_tree, kRing, 19'347'483'396'524, true},
    Row{"A", "bs_2097152", 128, StudyNetwork::fat_tree, kDps, 19'777'507'337'771, true},
    Row{"A", "bs_2097152", 128, StudyNetwork::topoopt, kRing, 18'858'272'850'679, true},
    Row{"A", "bs_2097152", 128, StudyNetwork::opera, kDps, 15'659'509'033'280, true},
    Row{"A", "bs_2097152", 1024, StudyNetwork::fat_tree, kRing, 4'066'856'619'325, true},
    Row{"A", "bs_2097152", 1024, StudyNetwork::topoopt, kRing, 5'761'501'078'688, true},
    Row{"A", "bs_2097152", 1024, StudyNetwork::opera, kRing, 10'157'365'640'000, false},
    Row{"A", "bs_2097152", 1024, StudyNetwork::opera, kDps, 2'270'694'649'440, true},
    Row{"A", "embdim_40", 16, StudyNetwork::fat_tree, kRing, 31'845'683'731'890, true},
    Row{"A", "embdim_40", 16, StudyNetwork::fat_tree, kDps, 32'290'379'466'066, true},
    Row{"A", "embdim_40", 16, StudyNetwork::topoopt, kRing, 29'017'233'475'769, true},
    Row{"A", "embdim_40", 16, StudyNetwork::opera, kDps, 28'793'003'673'696, true},
    Row{"A", "embdim_40", 128, StudyNetwork::fat_tree, kRing, 4'611'576'087'656, true},
    Row{"A", "embdim_40", 128, StudyNetwork::fat_tree, kDps, 4'650'869'872'835, true},
    Row{"A", "embdim_40", 128, StudyNetwork::topoopt, kRing, 4'215'734'099'114, true},
    Row{"A", "embdim_40", 128, StudyNetwork::opera, kRing, 3'668'321'777'920, false},
    Row{"A", "embdim_40", 128, StudyNetwork::opera, kDps, 3'942'842'537'920, true},
    Row{"A", "embdim_40", 1024, StudyNetwork::fat_tree, kRing, 632'813'773'218, true},
    Row{"A", "embdim_40", 1024, StudyNetwork::topoopt, kRing, 995'540'438'577, true},
    Row{"A", "embdim_40", 1024, StudyNetwork::opera, kRing, 9'599'048'920'000, false},
    Row{"A", "embdim_40", 1024, StudyNetwork::opera, kDps, 697'230'401'280, true},
    Row{"A", "embdim_93", 16, StudyNetwork::fat_tree, kRing, 37'332'781'476'557, true},
    Row{"A", "embdim_93", 16, StudyNetwork::fat_tree, kDps, 35'493'408'327'201, true},
    Row{"A", "embdim_93", 16, StudyNetwork::topoopt, kRing, 30'195'676'356'023, true},
    Row{"A", "embdim_93", 16, StudyNetwork::opera, kDps, 31'921'327'199'904, true},
    Row{"A", "embdim_93", 128, StudyNetwork::fat_tree, kRing, 4'866'592'623'138, true},
    Row{"A", "embdim_93", 128, StudyNetwork::fat_tree, kDps, 4'984'451'810'722, true},
    Row{"A", "embdim_93", 128, StudyNetwork::topoopt, kRing, 5'223'834'599'310, true},
    Row{"A", "embdim_93", 128, StudyNetwork::opera, kRing, 3'936'513'168'704, false},
    Row{"A", "embdim_93", 128, StudyNetwork::opera, kDps, 4'264'696'368'704, true},
    Row{"A", "embdim_93", 1024, StudyNetwork::fat_tree, kRing, 773'761'437'646, true},
    Row{"A", "embdim_93", 1024, StudyNetwork::topoopt, kRing, 1'502'613'047'808, true},
    Row{"A", "embdim_93", 1024, StudyNetwork::opera, kRing, 9'931'866'500'000, false},
    Row{"A", "embdim_93", 1024, StudyNetwork::opera, kDps, 806'677'901'408, true},
    Row{"I", "baseline", 16, StudyNetwork::fat_tree, kRing, 10'751'206'087'061, true},
    Row{"I", "baseline", 16, StudyNetwork::fat_tree, kDps, 10'746'704'597'563, true},
    Row{"I", "baseline", 16, StudyNetwork::topoopt, kRing, 11'499'976'943'938, true},
    Row{"I", "baseline", 16, StudyNetwork::opera, kRing, 11'912'862'540'576, false},
    Row{"I", "baseline", 16, StudyNetwork::opera, kDps, 11'926'377'660'576, true},
    Row{"I", "baseline", 128, StudyNetwork::fat_tree, kRing, 1'497'664'798'703, true},
    Row{"I", "baseline", 128, StudyNetwork::fat_tree, kDps, 1'629'890'510'805, true},
    Row{"I", "baseline", 128, StudyNetwork::topoopt, kRing, 2'187'027'134'034, true},
    Row{"I", "baseline", 128, StudyNetwork::opera, kRing, 1'481'644'282'304, false},
    Row{"I", "baseline", 128, StudyNetwork::opera, kDps, 1'505'148'802'304, true},
    Row{"I", "baseline", 1024, StudyNetwork::fat_tree, kRing, 721'784'105'733, true},
    Row{"I", "baseline", 1024, StudyNetwork::topoopt, kRing, 754'955'793'375, true},
    Row{"I", "baseline", 1024, StudyNetwork::opera, kRing, 4'920'186'780'000, false},
    Row{"I", "baseline", 1024, StudyNetwork::opera, kDps, 560'951'880'000, true},
    Row{"I", "bs_1048576", 16, StudyNetwork::fat_tree, kRing, 21'407'790'842'677, true},
    Row{"I", "bs_1048576", 16, StudyNetwork::fat_tree, kDps, 21'363'192'697'377, true},
    Row{"I", "bs_1048576", 16, StudyNetwork::topoopt, kRing, 22'917'249'591'263, true},
    Row{"I", "bs_1048576", 16, StudyNetwork::opera, kDps, 23'811'797'167'456, true},
    Row{"I", "bs_1048576", 128, StudyNetwork::fat_tree, kRing, 2'932'967'665'272, true},
    Row{"I", "bs_1048576", 128, StudyNetwork::fat_tree, kDps, 3'649'059'119'026, true},
    Row{"I", "bs_1048576", 128, StudyNetwork::topoopt, kRing, 4'423'665'567'073, true},
    Row{"I", "bs_1048576", 128, StudyNetwork::opera, kRing, 2'952'563'865'920, false},
    Row{"I", "bs_1048576", 128, StudyNetwork::opera, kDps, 2'975'209'125'920, true},
    Row{"I", "bs_1048576", 1024, StudyNetwork::fat_tree, kRing, 1'197'608'688'163, true},
    Row{"I", "bs_1048576", 1024, StudyNetwork::topoopt, kRing, 1'662'231'830'330, true},
    Row{"I", "bs_1048576", 1024, StudyNetwork::opera, kRing, 5'027'684'060'000, false},
    Row{"I", "bs_1048576", 1024, StudyNetwork::opera, kDps, 1'066'350'440'000, true},
    Row{"I", "bs_2097152", 16, StudyNetwork::fat_tree, kRing, 42'763'835'108'382, true},
    Row{"I", "bs_2097152", 16, StudyNetwork::fat_tree, kDps, 42'777'547'190'223, true},
    Row{"I", "bs_2097152", 16, StudyNetwork::topoopt, kRing, 47'195'205'242'059, true},
    Row{"I", "bs_2097152", 16, StudyNetwork::opera, kDps, 47'085'525'097'120, true},
    Row{"I", "bs_2097152", 128, StudyNetwork::fat_tree, kRing, 5'803'371'641'382, true},
    Row{"I", "bs_2097152", 128, StudyNetwork::fat_tree, kDps, 5'849'286'280'454, true},
    Row{"I", "bs_2097152", 128, StudyNetwork::topoopt, kRing, 8'538'851'385'470, true},
    Row{"I", "bs_2097152", 128, StudyNetwork::opera, kRing, 5'876'956'663'904, false},
    Row{"I", "bs_2097152", 128, StudyNetwork::opera, kDps, 5'904'235'603'904, true},
    Row{"I", "bs_2097152", 1024, StudyNetwork::fat_tree, kRing, 2'360'573'877'478, true},
    Row{"I", "bs_2097152", 1024, StudyNetwork::topoopt, kRing, 4'524'203'756'917, true},
    Row{"I", "bs_2097152", 1024, StudyNetwork::opera, kRing, 5'266'700'980'000, false},
    Row{"I", "bs_2097152", 1024, StudyNetwork::opera, kDps, 2'079'292'441'216, true}};

struct Fraction {
  std::string_view model;
  std::string_view variant;
  int nodes;
  double value;
};

// Of its plot scripts. Those of model I on 1,024 nodes were changed by hand.
constexpr std::array kFractions{Fraction{"A", "baseline", 16, 0.11821701960057965},
                                Fraction{"A", "baseline", 128, 0.5174963326959043},
                                Fraction{"A", "baseline", 1024, 0.8956170479783089},
                                Fraction{"I", "baseline", 16, 0.0276194269682863},
                                Fraction{"I", "baseline", 128, 0.07908444563655101},
                                Fraction{"I", "baseline", 1024, 0.4041381935374884},
                                Fraction{"A", "bs_1048576", 16, 0.06282181358420372},
                                Fraction{"A", "bs_1048576", 128, 0.3490691754152362},
                                Fraction{"A", "bs_1048576", 1024, 0.8109660207437883},
                                Fraction{"I", "bs_1048576", 16, 0.014003092174971555},
                                Fraction{"I", "bs_1048576", 128, 0.04117018338307846},
                                Fraction{"I", "bs_1048576", 1024, 0.253466473702618},
                                Fraction{"A", "bs_2097152", 16, 0.03242954831142189},
                                Fraction{"A", "bs_2097152", 128, 0.2114377963128969},
                                Fraction{"A", "bs_2097152", 1024, 0.6820377170811216},
                                Fraction{"I", "bs_2097152", 16, 0.007050913382492167},
                                Fraction{"I", "bs_2097152", 128, 0.02101774387638388},
                                Fraction{"I", "bs_2097152", 1024, 0.1449800203950673},
                                Fraction{"A", "embdim_40", 16, 0.17805969485947779},
                                Fraction{"A", "embdim_40", 128, 0.6341096065885651},
                                Fraction{"A", "embdim_40", 1024, 0.9327247926945806},
                                Fraction{"A", "embdim_93", 16, 0.10915060835179748},
                                Fraction{"A", "embdim_93", 128, 0.49499798392173117},
                                Fraction{"A", "embdim_93", 1024, 0.8868964248872211}};

}  // namespace

std::optional<PublishedTime> published_time(const Cell& cell) {
  if (!cell.changes.empty()) return std::nullopt;
  for (const Row& row : kRows) {
    if (row.model == cell.model && row.variant == cell.variant && row.nodes == cell.nodes &&
        row.network == cell.network && row.all_reduce == cell.all_reduce) {
      return PublishedTime{.iteration = Duration{row.ps}, .plotted = row.plotted};
    }
  }
  return std::nullopt;
}

std::optional<double> published_traffic_fraction(const Cell& cell) {
  if (!cell.changes.empty()) return std::nullopt;
  for (const Fraction& row : kFractions) {
    if (row.model == cell.model && row.variant == cell.variant && row.nodes == cell.nodes) return row.value;
  }
  return std::nullopt;
}

}  // namespace overture::study::opera_dlrm
