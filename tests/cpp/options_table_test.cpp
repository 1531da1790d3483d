#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "../../tools/options/tables.hpp"

// The TypeScript types and the forms of the playground are made from this file; tests/ts/options.test.ts holds them to
// it.
TEST(OptionsTable, IsTheOneThatIsCommitted) {
  std::ifstream file(ROPEWALK_GOLDEN "/../../tools/options/table.json");
  const auto committed = nlohmann::json::parse(file, nullptr, false);
  EXPECT_EQ(committed, nlohmann::json::parse(ropewalk::options::tables_to_json()))
      << "run `npm run generate` and commit what it writes";
}
