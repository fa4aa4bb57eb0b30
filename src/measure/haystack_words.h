// The words that made-up names and sentences consist of. Any of a list goes with any of the others.
#pragma once

#include <array>
#include <string_view>

namespace kelda::measure {

inline constexpr std::array<std::string_view, 40> kFirstNames = {
    "Mira",  "Tomas",  "Elin",  "Jonas", "Petra", "Anton",  "Vera",  "Lukas", "Hanna", "Oskar",
    "Nadia", "Felix",  "Greta", "Ivan",  "Clara", "Bruno",  "Alma",  "Simon", "Edith", "Marek",
    "Julia", "Karl",   "Ines",  "Pavel", "Lena",  "Hugo",   "Rosa",  "Emil",  "Tilda", "Arne",
    "Dora",  "Viktor", "Maja",  "Otto",  "Selma", "Rafael", "Signe", "Boris", "Agnes", "Leon"};

inline constexpr std::array<std::string_view, 40> kFamilyNames = {
    "Solberg", "Novak",  "Keller", "Marten", "Holm",   "Vargas", "Petrov", "Lindt",  "Moreau", "Becker",
    "Castell", "Dahl",   "Farkas", "Gruber", "Hansen", "Ivers",  "Jansen", "Kovacs", "Larsen", "Meyer",
    "Nilsen",  "Olsen",  "Pohl",   "Quist",  "Rossi",  "Strand", "Toth",   "Ulrich", "Voss",   "Weber",
    "Abbott",  "Barlow", "Cooper", "Draper", "Foster", "Hale",   "Mercer", "Parker", "Sawyer", "Turner"};

inline constexpr std::array<std::string_view, 24> kWho = {
    "The old gardener",  "A tired baker",      "The night watchman", "A young carpenter", "The ferry captain",
    "A quiet librarian", "The village doctor", "A curious child",    "The stone mason",   "A patient teacher",
    "The clock maker",   "A merry fiddler",    "The station master", "A careful painter", "The apple seller",
    "A lonely shepherd", "The choir leader",   "A retired sailor",   "The glass blower",  "A busy tailor",
    "The market porter", "A cheerful miller",  "The bridge keeper",  "A silent hunter"};

inline constexpr std::array<std::string_view, 24> kDid = {
    "mended a wooden gate",      "watched the clouds drift by", "carried a basket of pears",
    "swept the dry leaves",      "told a long story",           "waited for the evening bell",
    "sharpened a dull knife",    "fed the grey pigeons",        "wrote a letter to a friend",
    "hung the lanterns",         "stacked the firewood",        "hummed an old tune",
    "searched for a lost glove", "polished the brass handles",  "planted a row of beans",
    "folded the clean linen",    "poured a cup of tea",         "looked at a faded map",
    "counted the empty barrels", "tied the boat to a post",     "opened the heavy shutters",
    "painted a small sign",      "rested on a bench",           "listened to the rain"};

inline constexpr std::array<std::string_view, 24> kWhere = {
    "behind the mill",           "beside the harbour wall", "in the narrow lane",
    "near the stone bridge",     "under the chestnut tree", "at the edge of the wood",
    "in front of the bakery",    "along the river bank",    "on the church steps",
    "by the garden fence",       "across from the inn",     "in the upper meadow",
    "next to the old well",      "below the castle hill",   "in the covered market",
    "on the way to the village", "at the end of the pier",  "in the quiet courtyard",
    "outside the workshop",      "close to the railway",    "among the apple trees",
    "on the sunny terrace",      "in the shade of a barn",  "at the corner of the square"};

}  // namespace kelda::measure
