// SPDX-License-Identifier: Apache-2.0
#include "report/verdict.h"

#include <gmock/gmock.h>

namespace belay::report {
namespace {

using testing::HasSubstr;
using testing::Not;

blame::OperatorReport judged(const std::string& name, blame::Verdict verdict = blame::Verdict::Clean) {
  return {.op = name, .op_type = "Add", .verdict = verdict, .why = verdict == blame::Verdict::Clean ? "" : "no input"};
}

inspect::OverflowReport overflow_of(const std::vector<std::pair<std::string, std::string>>& names_and_places) {
  inspect::OverflowReport report;
  for (const auto& [name, place] : names_and_places) {
    inspect::Overflow overflow{.op = inspect::FoundDump{.op_type = "Exp", .op_name = name}};
    overflow.found_by.folder = place;
    report.overflows.push_back({overflow, {}});
  }
  return report;
}

TEST(VerdictOfAPage, IsGoodOnlyWhenEveryOperatorWasJudged) {
  blame::Report report{.operators = {judged("a"), judged("b")}};
  EXPECT_EQ(nobody_guilty(report).state, "good");
  EXPECT_THAT(nobody_guilty(report).text, HasSubstr("each of 2 "));
  report.operators[1].together = {"c"};  // judged with b
  report.unrecorded = {"c"};
  EXPECT_EQ(nobody_guilty(report).state, "good");
  EXPECT_THAT(nobody_guilty(report).text, HasSubstr("each of 3 "));
}

TEST(VerdictOfAPage, SaysHowManyWereNotJudgedAndWhy) {
  blame::Report report{.operators = {judged("a"), judged("b"), judged("x", blame::Verdict::NotCheckable)}};
  report.unrecorded = std::vector<std::string>(6, "u");
  report.foreign = {"f", "g"};
  const Verdict verdict = nobody_guilty(report);
  EXPECT_EQ(verdict.state, "unknown");
  EXPECT_EQ(verdict.text, "None of the 2 operators that could be judged is guilty; 9 could not be.");
  EXPECT_THAT(verdict.more, HasSubstr("6 not in the dump."));
  EXPECT_THAT(verdict.more, HasSubstr("2 in the dump but not in the model, first f."));
  EXPECT_THAT(verdict.more, HasSubstr("1 not checkable, first x: no input."));
  EXPECT_EQ(nobody_guilty({}).text, "No operator could be judged.");
  EXPECT_EQ(nobody_guilty({}).state, "unknown");
}

TEST(VerdictOfAPage, StatisticsAloneCannotBeJudged) {
  const compare::Side side{.name = "stats"};
  const inspect::OverflowReport overflow;
  Question question{.ours = &side, .not_judged = "A holds statistics", .overflow = &overflow};
  question.statistics.resize(3);
  const Verdict verdict = verdict_of(question);
  EXPECT_EQ(verdict.state, "unknown");
  EXPECT_EQ(verdict.text, "No operator could be judged: A holds statistics.");
  EXPECT_EQ(verdict.more, "stats holds 3 files of statistics; no operator overflowed.");
}

TEST(VerdictOfAPage, AnOverflowIsNotHiddenByAgreement) {
  compare::Side ours{.name = "a"}, truth{.name = "b"};
  ours.tensors.push_back({.op = "e"});
  truth.tensors.push_back({.op = "e"});
  compare::Comparison same{.ours = &ours, .truth = &truth};
  same.rows.push_back({.ours = &ours.tensors[0], .truth = &truth.tensors[0], .verdict = compare::Verdict::Agree});
  Question question{.ours = &ours, .comparison = &same};
  EXPECT_EQ(verdict_of(question).state, "good");
  EXPECT_EQ(verdict_of(question).text, "a and b agree in all 1 tensor that both have.");
  const inspect::OverflowReport overflow = overflow_of({{"e", "0"}});
  question.overflow = &overflow;
  EXPECT_EQ(verdict_of(question).state, "bad");
  EXPECT_THAT(verdict_of(question).text, HasSubstr("Exp e overflowed first"));
  EXPECT_THAT(verdict_of(question).more, HasSubstr("agree"));
}

TEST(VerdictOfAPage, AnOperatorThatOverflowsInEveryExecutionIsOneOperator) {
  const compare::Side side{.name = "a"};
  const inspect::OverflowReport overflow = overflow_of({{"e", "0"}, {"e", "1"}, {"e", "2"}});
  EXPECT_THAT(verdict_of({.ours = &side, .overflow = &overflow}).more,
              HasSubstr("1 operator overflowed in 3 executions."));
}

TEST(VerdictOfAPage, AgreementOfAFewAmongManyIsNotGood) {
  compare::Side ours{.name = "a"}, truth{.name = "b"};
  ours.tensors.resize(5, {.op = "e"});
  compare::Comparison few{.ours = &ours, .truth = &truth};
  few.rows.push_back({.ours = ours.tensors.data(), .verdict = compare::Verdict::Agree});
  const Verdict verdict = verdict_of({.ours = &ours, .comparison = &few});
  EXPECT_EQ(verdict.state, "unknown");
  EXPECT_THAT(verdict.more, HasSubstr("4 outputs of a had no partner."));
  EXPECT_THAT(verdict.text, Not(HasSubstr("all 5")));
}

}  // namespace
}  // namespace belay::report
