// SPDX-License-Identifier: Apache-2.0
#include "base/catalogue.h"

#include <algorithm>
#include <iterator>

namespace belay {
namespace {

constexpr const char* check_path = "Check that the path exists and that this user may read it.";
constexpr const char* free_memory = "Free host memory, or ask for less at a time.";

constexpr MessageKind kinds[] = {
    {"E10001", "Invalid_Argument", nullptr},
    {"E13025", "Invalid_Argument_Model_Input", nullptr},
    {"E19999", "Inner_Error", nullptr},
    {"EE1001", "Invalid_Argument", nullptr},
    {"EE1002", "Execution_Error_Stream_Synchronize_Timeout", nullptr},
    {"EE1003", "Invalid_Argument", nullptr},
    {"EE1004", "Invalid_Argument_Null_Pointer", nullptr},
    {"EE1005", "Not_Supported", nullptr},
    {"EE1006", "Not_Supported", nullptr},
    {"EE1007", "Resource_Error_Bind_Stream", nullptr},
    {"EE1009", "Execution_Error_Model", nullptr},
    {"EE1010", "Execution_Error_Invalid_Context", nullptr},
    {"EE1011", "Invalid_Argument", nullptr},
    {"EE1012", "Invalid_Argument", nullptr},
    {"EE1013", "Resource_Error_Insufficient_Host_Memory", free_memory},
    {"EE1014", "File_Operation_Error_Parse", nullptr},
    {"EE1015", "Package_Error_Incorrect_Driver_Version", nullptr},
    {"EE1016", "Not_Supported", nullptr},
    {"EE1017", "Invalid_Argument", nullptr},
    {"EE1018", "Invalid_Argument_API_Call_Sequence", nullptr},
    {"EE1019", "Execution_Error", nullptr},
    {"EE1020", "Invalid_Argument", nullptr},
    {"EE1021", "Resource_Error", nullptr},
    {"EE1022", "Invalid_Argument", nullptr},
    {"EE1023", "Resource_Error", nullptr},
    {"EE9999", "Inner_Error", nullptr},
    {"EH0001", "Invalid_Argument", nullptr},
    {"EH0002", "Invalid_Argument_Null_Pointer", nullptr},
    {"EH0003", "File_Operation_Error_Invalid_Path", check_path},
    {"EH0004", "File_Operation_Error", nullptr},
    {"EH0005", "Invalid_Argument", nullptr},
    {"EH0006", "Not_Supported", nullptr},
    {"EH0007", "Invalid_Argument", nullptr},
    {"EH0008", "Invalid_Argument_Null_Pointer", nullptr},
    {"EH0009", "Invalid_Argument", nullptr},
    {"EH0010", "Resource_Error_Insufficient_Host_Memory", free_memory},
    {"EH0011", "Not_Supported", nullptr},
    {"EH0012", "Invalid_Argument", nullptr},
    {"EH0013", "Invalid_Argument", nullptr},
    {"EH0014", "Invalid_Argument_Null_Pointer", nullptr},
    {"EH9999", "Inner_Error", nullptr},
    {"EI0001", "Invalid_Environment_Variable", nullptr},
    {"EI0002", "Communication_Error_Peer_Wait", nullptr},
    {"EI0003", "Invalid_Argument_Collective", nullptr},
    {"EI0004", "Invalid_Rank_Table", nullptr},
    {"EI0005", "Communication_Error_Ranks_Disagree", nullptr},
    {"EI0006", "Communication_Error_Connect", nullptr},
    {"EI0007", "Resource_Error", nullptr},
    {"EI0009", "Communication_Error_Transport", nullptr},
    {"EI0011", "Resource_Error_Insufficient_Device_Memory", nullptr},
    {"EI0014", "Invalid_Rank_Table_Value", nullptr},
    {"EI0015", "Communication_Error_Meeting", nullptr},
    {"EI0016", "Invalid_Configuration", nullptr},
    {"EI0017", "Invalid_Rank_Table_Key", nullptr},
    {"EP0001", "Invalid_Argument_Dump_Config", nullptr},
    {"EP0002", "Invalid_Argument_Dump_Config", nullptr},
    {"EP0003", "Invalid_Argument_Dump_Config", nullptr},
    {"EP0004", "File_Operation_Error_Parse", nullptr},
    {"EP0005", "Invalid_Argument_Dump_Config", nullptr},
    {"EP0006", "Invalid_Argument", nullptr},
    {"EP0007", "Invalid_Argument_Null_Pointer", nullptr},
    {"EP0008", "Invalid_Argument_API_Call_Sequence", nullptr},
    {"EZ1001", "AclNN_Parameter_Error", nullptr},
    {"EZ9903", "AclNN_Runtime_Error", nullptr},
    {"EZ9999", "AclNN_Inner_Error", nullptr},
};

struct UsualId {
  int first, last;
  const char* id;
};

// The first row that holds the code decides.
constexpr UsualId usual_ids[] = {
    {100003, 100003, "EH0003"}, {100004, 100006, "EH0004"}, {100009, 100009, "EP0003"}, {100014, 100014, "EH0003"},
    {100000, 100999, "EH0012"}, {107002, 107002, "EE1018"}, {107003, 107004, "EE1010"}, {107009, 107010, "EE1014"},
    {107006, 107006, "EE1018"}, {107011, 107015, "EE1018"}, {107017, 107017, "EE1017"}, {107019, 107020, "EE1019"},
    {107021, 107041, "EE1018"}, {107000, 107999, "EE1003"}, {145000, 145999, "E10001"}, {148000, 148999, "EH0012"},
    {161000, 161999, "EZ1001"}, {200000, 200000, "EH0010"}, {200001, 200999, "EH0006"}, {207000, 207000, "EE1005"},
    {207000, 207999, "EE1021"}, {245000, 245999, "E10001"}, {300000, 300999, "EH0012"}, {361000, 361999, "EZ9903"},
    {507006, 507007, "EE1018"}, {507011, 507011, "EE1009"}, {507000, 507001, "EE9999"}, {507033, 507033, "EE1021"},
    {507046, 507047, "EE1002"}, {507000, 507999, "EE1019"}, {545000, 545999, "E19999"}, {561000, 561999, "EZ9999"},
};

}  // namespace

MessageKind message_kind(const char* id) {
  const auto* found = std::ranges::find(kinds, std::string_view(id), &MessageKind::id);
  return found != std::end(kinds) ? *found : MessageKind{id, "Error", nullptr};
}

const char* usual_message_id(aclError code) {
  const auto holds = [code](const UsualId& row) { return row.first <= code && code <= row.last; };
  const auto* found = std::ranges::find_if(usual_ids, holds);
  return found != std::end(usual_ids) ? found->id : "EH9999";
}

}  // namespace belay
