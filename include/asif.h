/**
 * @file
 * The whole public API of asif.
 */
#ifndef ASIF_H
#define ASIF_H

#include "asif/arrow.h"
#include "asif/ask.h"
#include "asif/base.h"
#include "asif/behavior.h"
#include "asif/database.h"
#include "asif/dynamics.h"
#include "asif/files.h"
#include "asif/fit.h"
#include "asif/formats.h"
#include "asif/inverse.h"
#include "asif/learn.h"
#include "asif/logs.h"
#include "asif/people.h"
#include "asif/planner.h"
#include "asif/report.h"
#include "asif/sample.h"
#include "asif/setting.h"
#include "asif/solve.h"
#include "asif/study.h"
#include "asif/theta.h"

#endif
