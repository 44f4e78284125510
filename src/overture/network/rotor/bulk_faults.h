// Bulk that faults concern, for both engines: what was parked at a host whose way on is gone goes back to its
// sources, which send it again.
#pragma once

#include "overture/network/rotor/bulk_queues.h"
#include "overture/network/rotor/rotor_faults.h"
#include "overture/topology/opera.h"

namespace overture::network::rotor {

// What others parked at `host` for `to` stays there if it can go on, as far as is known.
void pass_on_or_return(RotorFaults& faults, const topology::Opera& opera, BulkQueues& queues, int host,
                       int to);

// The same of all hosts, when what is known has changed.
void return_all(RotorFaults& faults, const topology::Opera& opera, BulkQueues& queues);

}  // namespace overture::network::rotor
