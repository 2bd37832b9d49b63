#include "base/damage.hpp"
#include "base/temp_folder.hpp"
#include "network/batches.hpp"
#include "network/optimizer_kinds.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/section_file.hpp>
#include <widehash/model.hpp>

#include <filesystem>
#include <functional>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

Architecture example(std::uint64_t num_columns, std::vector<std::uint32_t> hidden) {
  Architecture architecture;
  architecture.num_columns = num_columns;
  architecture.hidden = std::move(hidden);
  architecture.activation = ActivationKind::tanh;
  architecture.seed = 0xFFFFFFFFFFFFFFF0;
  architecture.active_columns = 16;
  return architecture;
}

template <class Real>
Model<Real> make_model(const Architecture& architecture, OptimizerKind kind) {
  Network<Real> network(architecture);
  OptimizerSettings settings = default_settings(kind);
  settings.l1 = 1e-4;
  settings.l2 = 1.0 / 3;
  Optimizer<Real> optimizer(settings, network.parameters());
  ModelSource source{"delimiter = \"\\t\"\n", "0123456789abcdef", "tables", {0, 3, 0}, 2};
  TrainingPosition position;
  position.epoch = 3;
  position.batch = 1ull << 40;
  position.rows_seen = 5;
  position.seed = ~0ull;
  position.best_valid_loss = 0.1 + 0.2;
  position.bad_epochs = 2;
  return {{std::move(network), {}, source}, std::move(optimizer), position, R"({"zeta":1,"alpha":[2.5]})"};
}

template <class Real>
void expect_same(const Model<Real>& a, const Model<Real>& b) {
  EXPECT_EQ(a.network.architecture(), b.network.architecture());
  const auto equal = [](const Parameters<Real>& x, const Parameters<Real>& y) {
    for (std::size_t t = 0; t < x.tensors().size(); ++t) {
      const auto xs = x.tensors()[t].values;
      const auto ys = y.tensors()[t].values;
      EXPECT_TRUE(std::equal(xs.begin(), xs.end(), ys.begin(), ys.end())) << "tensor " << t;
    }
  };
  equal(a.network.parameters(), b.network.parameters());
  EXPECT_EQ(a.optimizer.settings(), b.optimizer.settings());
  EXPECT_EQ(a.optimizer.step(), b.optimizer.step());
  ASSERT_EQ(a.optimizer.states().size(), b.optimizer.states().size());
  for (std::size_t s = 0; s < a.optimizer.states().size(); ++s)
    equal(a.optimizer.states()[s], b.optimizer.states()[s]);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.training, b.training);
}

template <class Real>
void train(Model<Real>& model, const std::shared_ptr<const CodeLayout>& layout, std::uint64_t begin,
           std::uint64_t end) {
  for (std::uint64_t step = begin; step < end; ++step) {
    model.network.train_step(test::random_batch(layout, 50, step).view(), model.optimizer);
  }
}

template <class Real>
void expect_resuming_equals_going_on() {
  const test::TempFolder folder;
  const auto layout = test::mixed_layout();
  for (const OptimizerKind kind : test::optimizer_kinds) {
    for (const auto& hidden : {std::vector<std::uint32_t>{}, std::vector<std::uint32_t>{4, 3}}) {
      auto model = make_model<Real>(example(layout->num_columns, hidden), kind);
      train(model, layout, 0, 5);
      save_model(folder.file("m"), model);
      auto loaded = load_model<Real>(folder.file("m"));
      expect_same(model, loaded);
      train(model, layout, 5, 10);
      train(loaded, layout, 5, 10);
      expect_same(model, loaded);
    }
  }
}

TEST(Model, SavingLoadingAndGoingOnHasTheBitsOfNeverStopping) {
  expect_resuming_equals_going_on<float>();
  expect_resuming_equals_going_on<double>();
}

TEST(Model, TheParametersOfAnArchitectureAreThoseOfItsNetwork) {
  for (const auto& hidden : {std::vector<std::uint32_t>{}, {5}, {5, 3}}) {
    const Architecture architecture = example(20, hidden);
    EXPECT_EQ(num_parameters(architecture), Network<float>(architecture).parameters().num_values());
  }
  EXPECT_EQ(num_parameters(example(20, {5, 3})), 20 * 5 + 5 + 5 * 3 + 3 + 3 + 1);
}

TEST(Model, NoValidationYetReadsBackAsNone) {
  const test::TempFolder folder;
  auto model = make_model<float>(example(3, {}), OptimizerKind::sgd);
  model.position = {};
  model.source = {};
  save_model(folder.file("m"), model);
  const auto loaded = load_model<float>(folder.file("m"));
  EXPECT_EQ(loaded.position, TrainingPosition{});
  EXPECT_EQ(loaded.source, ModelSource{});
}

TEST(Model, EveryFlippedBitAndEveryCutIsNoticed) {
  const test::TempFolder folder;
  save_model(folder.file("m"), make_model<float>(example(3, {}), OptimizerKind::sgd));
  test::expect_all_damage_noticed(folder.file("m"), [&] {
    return test::throws<DataError>([&] { load_model<float>(folder.file("m")); });
  });
}

TEST(Model, OtherPrecisionAndMissingFilesAreDistinguished) {
  const test::TempFolder folder;
  save_model(folder.file("m"), make_model<double>(example(3, {}), OptimizerKind::sgd));
  EXPECT_THROW(load_model<float>(folder.file("m")), ConfigError);
  EXPECT_THROW(load_model<float>(folder.file("none")), FileError);
}

TEST(Model, PartsOfAModelAndForeignStatesAreNotSaved) {
  const test::TempFolder folder;
  const Architecture architecture = example(30, {2});
  auto model = make_model<float>(architecture, OptimizerKind::adam);
  Model<float> part{{Network<float>(architecture, ColumnRange{0, 10}), {}, {}}, model.optimizer, {}, "{}"};
  EXPECT_THROW(save_model(folder.file("m"), part), ConfigError);
  Model<float> foreign{{Network<float>(example(31, {2})), {}, {}}, model.optimizer, {}, "{}"};
  EXPECT_THROW(save_model(folder.file("m"), foreign), ShapeError);
  model.training = "[1]";
  EXPECT_THROW(save_model(folder.file("m"), model), ConfigError);
  EXPECT_EQ(folder.num_entries(), 0u);
}

using Json = nlohmann::ordered_json;

/// Rewrites the file `from` as a valid section file with changed metadata or sections.
void rewrite(const std::string& from, const std::string& to,
             const std::function<void(Json&)>& change_metadata, const std::string& drop = "",
             const std::string& cut = "", const std::string& add = "") {
  const SectionFile file(from, "model");
  Json metadata = Json::parse(file.metadata_json());
  change_metadata(metadata);
  SectionWriter writer(to, "model");
  for (const Section& section : file.sections()) {
    if (section.name == drop) continue;
    const auto bytes = file.bytes(section.name);
    writer.add_section(section.name, section.name == cut ? bytes.subspan(4) : bytes);
  }
  if (!add.empty()) writer.add_section(add, {});
  writer.finish(metadata.dump());
}

TEST(Model, SoundFilesThatContradictThemselvesAreRefused) {
  const test::TempFolder folder;
  save_model(folder.file("m"), make_model<float>(example(30, {2}), OptimizerKind::adam));
  const auto same = [](Json&) {};
  rewrite(folder.file("m"), folder.file("copy"), same);
  EXPECT_NO_THROW(load_model<float>(folder.file("copy")));
  rewrite(folder.file("m"), folder.file("later"), same, "", "", "of a later minor version");
  EXPECT_NO_THROW(load_model<float>(folder.file("later")));
  const auto refused = [&](const std::function<void(Json&)>& change, const std::string& drop = "",
                           const std::string& cut = "") {
    rewrite(folder.file("m"), folder.file("bad"), change, drop, cut);
    EXPECT_TRUE(test::throws<DataError>([&] { load_model<float>(folder.file("bad")); })) << drop << cut;
  };
  refused([](Json& m) { m["version"] = 0; });
  refused([](Json& m) { m["version"] = 3; });  // has target units, which this model lacks
  refused([](Json& m) { m["version"] = 4; });
  refused([](Json& m) {
    m["architecture"]["loss"] = "mse";
    m["architecture"]["target_shift"] = 2;
  });
  refused([](Json& m) { m["version"] = 2; });
  refused([](Json& m) { m["tower_steps"] = {1, 1}; });
  refused([](Json& m) {
    m["version"] = 2;
    m["tower_steps"] = {1, 1};
  });
  refused([](Json& m) { m.erase("position"); });
  refused([](Json& m) { m["step"] = "ten"; });
  refused([](Json& m) { m["architecture"]["num_columns"] = 31; });
  refused([](Json& m) { m["architecture"]["num_columns"] = max_columns; });
  refused([](Json& m) { m["architecture"]["hidden"] = {1048576, 1048576}; });
  refused([](Json& m) { m["architecture"]["hidden"] = Json::array(); });
  refused([](Json& m) { m["architecture"]["hidden"] = {0}; });
  refused([](Json& m) { m["architecture"]["loss"] = "hinge"; });
  refused([](Json& m) { m["optimizer"]["kind"] = "sgd"; });
  refused([](Json& m) { m["optimizer"]["learning_rate"] = -1; });
  rewrite(folder.file("m"), folder.file("bad"), same, "", "", "state/2/0");
  EXPECT_THROW(load_model<float>(folder.file("bad")), DataError);
  refused(same, "parameters/0");
  refused(same, "state/1/3");
  refused(same, "head_columns");
  refused(same, "training");
  refused(same, "", "training");  // no longer a JSON object
  refused(same, "", "parameters/2");
  refused(same, "", "state/0/0");
}

TEST(Model, TargetUnitsAreSavedAndOlderProgramsRefuseThem) {
  const test::TempFolder folder;
  Architecture architecture = example(30, {2});
  architecture.loss = LossKind::mse;
  const auto metadata = [&] { return Json::parse(SectionFile(folder.file("m"), "model").metadata_json()); };
  save_model(folder.file("m"), make_model<float>(architecture, OptimizerKind::sgd));
  EXPECT_EQ(metadata()["version"], 1);
  EXPECT_FALSE(metadata()["architecture"].contains("target_shift"));
  EXPECT_FALSE(metadata()["architecture"].contains("target_scale"));
  for (const TargetUnits units : {TargetUnits{0.1 + 0.2, 1e-45}, {0, 2}, {-1e38, 1}}) {
    architecture.target_units = units;
    const auto model = make_model<float>(architecture, OptimizerKind::sgd);
    save_model(folder.file("m"), model);
    EXPECT_EQ(metadata()["version"], 3);
    expect_same(model, load_model<float>(folder.file("m")));
    const auto refused = [&](const std::function<void(Json&)>& change) {
      rewrite(folder.file("m"), folder.file("bad"), change);
      EXPECT_TRUE(test::throws<DataError>([&] { load_model<float>(folder.file("bad")); }));
    };
    refused([](Json& m) { m["version"] = 1; });
    refused([](Json& m) { m["version"] = 2; });
    refused([](Json& m) { m["tower_steps"] = {1, 1}; });
    refused([](Json& m) { m["architecture"]["target_scale"] = 0; });
    refused([](Json& m) { m["architecture"]["target_scale"] = "1"; });
    refused([](Json& m) { m["architecture"]["target_shift"] = nullptr; });
    refused([](Json& m) { m["architecture"]["loss"] = "logistic"; });
  }
}

TEST(Model, PartsOfAFileAreThoseOfTheWhole) {
  const test::TempFolder folder;
  const auto model = make_model<float>(example(30, {2}), OptimizerKind::adam);
  save_model(folder.file("m"), model);
  const ModelFile<float> file(folder.file("m"));
  EXPECT_EQ(file.header().architecture, model.network.architecture());
  const ColumnRange some{7, 19};
  const auto parameters = file.parameters(0, some);
  EXPECT_EQ(parameters.columns, some);
  const auto& whole = model.network.parameters();
  EXPECT_TRUE(std::equal(parameters.first_weights.begin(), parameters.first_weights.end(),
                         whole.first_weights.begin() + 7 * 2));
  EXPECT_EQ(parameters.first_weights.size(), 12u * 2);
  EXPECT_EQ(parameters.tail[0].weights, whole.tail[0].weights);
  EXPECT_EQ(file.states(0, some).size(), 2u);
}

TEST(Model, AHeaderIsReadWithoutALookAtTheTensors) {
  const test::TempFolder folder;
  const auto model = make_model<float>(example(30, {2}), OptimizerKind::adam);
  save_model(folder.file("m"), model);
  const std::string text = read_text_file(folder.file("m"));
  const auto damaged_in = [&](const std::string& section) {
    const SectionFile file(folder.file("m"), "model");
    std::string bytes = text;
    for (const Section& found : file.sections()) {
      if (found.name == section) bytes[found.offset] ^= 1;
    }
    EXPECT_NE(bytes, text) << section;
    test::overwrite(folder.file("bad"), bytes);
    return folder.file("bad");
  };
  const ModelHeader header = read_model_header<float>(damaged_in("state/0/0"));
  EXPECT_EQ(header.architecture, model.network.architecture());
  EXPECT_EQ(header.source, model.source);
  EXPECT_EQ(header.position, model.position);
  EXPECT_THROW(load_model<float>(folder.file("bad")), DataError);
  EXPECT_THROW(read_model_header<float>(damaged_in("schema")), DataError);
  EXPECT_THROW(read_model_header<float>(damaged_in("head_columns")), DataError);
  EXPECT_THROW(read_model_header<double>(folder.file("m")), ConfigError);
  EXPECT_THROW(read_model_header<float>(folder.file("none")), FileError);
}

TEST(Model, AnEnsembleIsTheModelWithoutWhatTrainingNeeds) {
  const test::TempFolder folder;
  const auto model = make_model<float>(example(30, {2}), OptimizerKind::adam);
  save_model(folder.file("m"), model);
  const ModelFile<float> file(folder.file("m"));
  const Ensemble<float> ensemble = load_ensemble(file);
  EXPECT_EQ(ensemble.network.parameters().first_weights, model.network.parameters().first_weights);
  EXPECT_EQ(ensemble.source, model.source);
  EXPECT_TRUE(ensemble.other_towers.empty());
}

TEST(Model, MeansOfColumnsAreThereOrNot) {
  const test::TempFolder folder;
  auto model = make_model<float>(example(30, {2}), OptimizerKind::adam);
  model.source.column_means.assign(30, 0.25f);
  model.source.column_means[7] = -3;
  save_model(folder.file("m"), model);
  EXPECT_EQ(load_model<float>(folder.file("m")).source, model.source);
  EXPECT_EQ(read_model_header<float>(folder.file("m")).source, model.source);
  model.source.column_means.pop_back();
  EXPECT_THROW(save_model(folder.file("short"), model), ShapeError);
  EXPECT_FALSE(std::filesystem::exists(folder.file("short")));
  model.source.column_means.clear();
  save_model(folder.file("none"), model);
  EXPECT_EQ(load_model<float>(folder.file("none")).source.column_means.size(), 0u);
}

TEST(Model, AWriterTakesAllTensorsAndNoMore) {
  const test::TempFolder folder;
  const Architecture architecture = example(30, {});
  ModelHeader header;
  header.architecture = architecture;
  header.optimizer = default_settings(OptimizerKind::sgd);
  header.steps = {4, 5};
  header.architecture.loss = LossKind::mse;
  header.architecture.target_units = {3, 2};
  ModelWriter<float> writer(folder.file("m"), header);
  const std::vector<float> weights(30, 0.5f);
  const std::vector<float> bias(1, 2.0f);
  const std::span<const float> all(weights);
  EXPECT_THROW(writer.append(std::vector<float>(31)), ShapeError);
  for (int tower = 0; tower < 2; ++tower) {
    EXPECT_THROW(writer.finish(), ShapeError);
    writer.append({});
    writer.append(all.first(11));
    writer.append({});
    writer.append(all.subspan(11));
    writer.append(bias);
  }
  EXPECT_THROW(writer.append(bias), ShapeError);
  writer.finish();
  const auto model = load_model<float>(folder.file("m"));
  EXPECT_EQ(model.other_towers.size(), 1u);
  EXPECT_EQ(model.other_towers[0].architecture(), header.architecture);
  EXPECT_THAT(model.other_towers[0].parameters().first_weights, ::testing::ElementsAreArray(weights));
  EXPECT_THROW(save_model(folder.file("again"), model), ConfigError);
}

TEST(Model, AHeaderThatNoReaderAcceptsIsNotWritten) {
  const test::TempFolder folder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ModelHeader good;
  good.architecture = example(30, {});
  good.optimizer = default_settings(OptimizerKind::sgd);
  good.steps = {4};
  ModelHeader bad = good;
  bad.steps.clear();
  EXPECT_THROW(ModelWriter<float>(folder.file("m"), bad), ConfigError);
  bad = good;
  bad.optimizer.learning_rate = nan;
  EXPECT_THROW(ModelWriter<float>(folder.file("m"), bad), ConfigError);
  bad = good;
  bad.architecture.outputs = 0;
  EXPECT_THROW(ModelWriter<float>(folder.file("m"), bad), ConfigError);
  bad = good;
  bad.source.column_means.assign(30, nan);
  EXPECT_THROW(ModelWriter<float>(folder.file("m"), bad), DataError);
  EXPECT_EQ(folder.num_entries(), 0u);
}

}  // namespace
}  // namespace widehash
