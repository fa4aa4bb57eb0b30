// Standard streams that were closed when the program began.
#pragma once

namespace kelda::cli {

// Before anything is opened: descriptors 0 to 2 that are closed would be given to the next files, which would
// then receive what is printed. They get /dev/null instead: reading stdin and writing stdout fail as on a
// closed descriptor, words for stderr vanish. Ends the process with status 1 if even that cannot be opened.
void occupy_closed_streams();

}  // namespace kelda::cli
