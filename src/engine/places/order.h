/* Places in the order in which their values can be computed, if none can come again. */
#ifndef ASIF_SRC_ENGINE_PLACES_ORDER_H
#define ASIF_SRC_ENGINE_PLACES_ORDER_H

#include "engine/places/links.h"

/* List the places so that each comes after all that can follow it. *order is NULL if some place can come
 * again, as it always can where there is one place and no horizon; else the caller frees it. Cost: the number
 * of links. ASIF_ENOMEM. */
asif_status asif_order_create(uint32_t **order, const asif_context *context, const asif_links *links,
                              uint32_t branches, asif_error *error);

#endif
