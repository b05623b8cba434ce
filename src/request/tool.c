/* tool.c: what the rows for agents share. */
#include "request/tool.h"

#include "request/json.h"

int tool_put_now(const struct request *rq, const char *item, json_t *result, struct error *err)
{
	const struct zone *zone;
	const char *source;
	int rc = read_zone(rq, item, &zone, &source, err);

	if (rc < 0)
		return rc;
	json_put(result, "now", json_instant(rq->now, zone));
	json_put_text(result, "timezone", zone_name(zone));
	json_put_text(result, "timezone_source", source);
	json_put_bool(result, "scheduler_running", rq->scheduler_running);
	return 0;
}
