// SPDX-License-Identifier: MIT
// Frames of several parts, read by what comes after a run: particles in two files are as good as in
// one, meshes need no mesher, and runs of builds that knew neither parts nor units are read as
// before.
#include "small_run.h"

#include "io/frame_vtk.h"
#include "shoal/render.h"
#include "shoal/surface.h"

#include "unit/check.h"

static char* content(const char* path, size_t* size) {
    char* bytes;
    CHECK_OK(shoal_file_read(path, &bytes, size));
    return bytes;
}

static void copy_file(const char* from, const char* to) {
    size_t size;
    char*  bytes = content(from, &size);
    CHECK_OK(shoal_file_write(to, bytes, size));
    shoal_free(bytes);
}

// A folder with the run.json of another, which promises no tables, and no frames.
static void make_folder(const char* like, const char* folder) {
    char   from[SHOAL_PATH_SIZE], to[SHOAL_PATH_SIZE];
    size_t size;
    CHECK_OK(shoal_path_make(to, "%s/frames", folder));
    CHECK_OK(shoal_folder_make(to));
    CHECK_OK(shoal_path_make(from, "%s/run.json", like));
    CHECK_OK(shoal_path_make(to, "%s/run.json", folder));
    char* text = NULL;
    CHECK_OK(shoal_file_read(from, &text, &size));
    char* tables = strstr(text, "  \"tables\"");
    if (tables) {
        char* next = strchr(tables, '\n') + 1;
        memmove(tables, next, size - (size_t)(next - text) + 1);
        size -= (size_t)(next - tables);
    }
    CHECK_OK(shoal_file_write(to, text, size));
    shoal_free(text);
}

// Particles [first, first + count) of a frame, without the fields that `lacks` names.
static void save_some(const shoal_frame* frame, int first, int count, const char* lacks, const char* path) {
    shoal_frame* some;
    CHECK_OK(shoal_frame_create(count, frame->time, &some));
    for (int f = 0; f < frame->points.field_count; f++) {
        const shoal_frame_array* field = &frame->points.fields[f];
        const char*              data  = (const char*)field->data + (size_t)first * shoal_frame_item_size(field);
        if (strcmp(field->name, lacks) != 0)
            CHECK_OK(shoal_frame_add(&some->points,
                                     &(shoal_frame_source){field->name, field->unit, field->type, field->width, data}));
    }
    CHECK_OK(shoal_frame_save(some, path));
    shoal_frame_destroy(some);
}

// FOLDER/frames/small_00000K.a.vtp and .b.vtp of frames 0 to 1 of the run `like`.
static void split(const char* like, const char* lacks, const char* folder) {
    char path[SHOAL_PATH_SIZE];
    make_folder(like, folder);
    for (int k = 0; k < 2; k++) {
        shoal_frame* frame;
        CHECK_OK(shoal_path_make(path, "%s/frames/small_%06d.vtp", like, k));
        CHECK_OK(shoal_frame_load(path, &frame));
        int all = frame->points.count, some = all / 3;
        CHECK_OK(shoal_path_make(path, "%s/frames/small_%06d.a.vtp", folder, k));
        save_some(frame, 0, some, "", path);
        CHECK_OK(shoal_path_make(path, "%s/frames/small_%06d.b.vtp", folder, k));
        save_some(frame, some, all - some, lacks, path);
        shoal_frame_destroy(frame);
    }
}

static void assert_same_file(const char* a, const char* b) {
    size_t m, n;
    char * x = content(a, &m), *y = content(b, &n);
    assert_int_equal(m, n);
    assert_memory_equal(x, y, m);
    shoal_free(x);
    shoal_free(y);
}

static shoal_render_image* picture(const char* folder, int frame, const char* color, bool is_preview) {
    shoal_render_def    def   = shoal_render_def_default();
    shoal_render_image* image = NULL;
    def.is_preview = is_preview, def.color = color, def.width = 96, def.height = 54, def.samples = 2, def.threads = 1;
    CHECK_OK(shoal_render_frame(&def, folder, frame, &image));
    return image;
}

static void assert_same_picture(const char* a, const char* b, const char* color) {
    shoal_render_image *x = picture(a, 1, color, true), *y = picture(b, 1, color, true);
    assert_memory_equal(x->pixels, y->pixels, (size_t)(3 * x->width * x->height));
    shoal_render_image_destroy(x);
    shoal_render_image_destroy(y);
}

static void particles_in_two_parts_are_as_good_as_in_one(void** state) {
    (void)state;
    const char *      one = scratch_path("one"), *two = scratch_path("two");
    shoal_run_def     run = small_def(one);
    shoal_surface_def def = shoal_surface_def_default();
    char              a[SHOAL_PATH_SIZE], b[SHOAL_PATH_SIZE];
    run.last = 1;
    CHECK_OK(small_run(&run, "output.fields", "[pressure]"));
    split(one, "", two);
    CHECK_OK(shoal_surface_run(&def, one));
    CHECK_OK(shoal_surface_run(&def, two));
    CHECK_OK(shoal_path_make(a, "%s/surface/water_000001.vtp", one));
    CHECK_OK(shoal_path_make(b, "%s/surface/water_000001.vtp", two));
    assert_same_file(a, b);
    assert_same_picture(one, two, NULL);
    assert_same_picture(one, two, "velocity");

    shoal_export_def to = shoal_export_def_default();
    to.format           = "csv";
    CHECK_OK(shoal_export(&to, two));
    CHECK_OK(shoal_path_make(a, "%s/export/small_000001.a.csv", two));
    CHECK_OK(shoal_path_make(b, "%s/export/small_000001.b.csv", two));
    assert_true(shoal_path_exists(a) && shoal_path_exists(b));
    to.format = "vdb";
    CHECK_OK(shoal_export(&to, two));
    CHECK_OK(shoal_export(&to, one));
    CHECK_OK(shoal_path_make(a, "%s/export/small_000001.vdb", one));
    CHECK_OK(shoal_path_make(b, "%s/export/small_000001.vdb", two));
    assert_same_file(a, b);

    char* text;
    CHECK_OK(shoal_describe(two, &text));
    assert_non_null(strstr(text, "frames on disk   2 (0..1)"));
    assert_non_null(strstr(text, "parts            a, b"));
    shoal_bytes_free(text, strlen(text) + 1);
}

// A field that one part lacks is blank there, and no field of the surface; PART.FIELD is that of
// one part.
static void a_field_of_one_part_is_painted_there(void** state) {
    (void)state;
    const char *  one = scratch_path("whole"), *two = scratch_path("lacking");
    shoal_run_def run = small_def(one);
    run.last          = 1;
    CHECK_OK(small_run(&run, "output.fields", "[pressure]"));
    split(one, "pressure", two);
    shoal_render_image *all = picture(one, 1, "pressure", true), *some = picture(two, 1, "pressure", true),
                       *same = picture(two, 1, "a.pressure", true);
    size_t size              = (size_t)(3 * all->width * all->height);
    assert_true(memcmp(all->pixels, some->pixels, size) != 0);
    assert_int_equal(same->width, some->width);
    shoal_render_image_destroy(all);
    shoal_render_image_destroy(some);
    shoal_render_image_destroy(same);
    shoal_render_def    def   = shoal_render_def_default();
    shoal_render_image* image = NULL;
    def.is_preview = true, def.color = "b.pressure";
    assert_int_equal(shoal_render_frame(&def, two, 1, &image), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "no field \"b.pressure\""));
}

static char reported[4096];
static void tell(const char* message, void* user) {
    (void)user;
    size_t used = strlen(reported);
    snprintf(reported + used, sizeof reported - used, "%s\n", message);
}

static void a_part_that_is_missing_or_damaged_is_reported(void** state) {
    (void)state;
    const char *      one = scratch_path("all"), *two = scratch_path("less");
    shoal_run_def     run = small_def(one);
    shoal_surface_def def = shoal_surface_def_default();
    char              path[SHOAL_PATH_SIZE];
    run.last  = 1;
    def.fault = tell;
    CHECK_OK(small_run(&run, NULL, NULL));
    split(one, "", two);
    CHECK_OK(shoal_path_make(path, "%s/frames/small_000000.b.vtp", two));
    CHECK_OK(shoal_file_remove(path));
    reported[0] = 0;
    assert_int_equal(shoal_surface_run(&def, two), SHOAL_ERR_FILE);
    assert_non_null(strstr(reported, "frames/small_000000.b.vtp"));
    CHECK_OK(shoal_path_make(path, "%s/surface/water_000001.vtp", two));
    assert_true(shoal_path_exists(path)); // the others are made
    CHECK_OK(shoal_path_make(path, "%s/frames/small_000001.a.vtp", two));
    CHECK_OK(shoal_file_write(path, "<VTKFile", 8));
    reported[0] = 0;
    assert_int_not_equal(shoal_surface_run(&def, two), SHOAL_OK);
    assert_non_null(strstr(reported, "frames/small_000001.a.vtp"));
}

// ---------------------------------------------------------------------------------- meshes

static const int32_t six[24]   = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7, 0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};
static const int32_t sides[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

// A cube of edge 0.4 m in the tank, as tetrahedra or triangles, with a field of its points and one
// of its cells.
static void save_cube(int corners, float edge, bool has_heat, const char* path) {
    shoal_frame* frame;
    shoal_v3     x[8], v[8];
    float        heat[12];
    for (int k = 0; k < 8; k++) {
        x[k] = shoal_v3_make(0.2f + edge * (float)(k & 1), 0.1f + edge * (float)(k >> 1 & 1), edge * (float)(k >> 2));
        v[k] = shoal_v3_make(1.0f, 0.0f, 0.0f);
    }
    for (int t = 0; t < 12; t++) heat[t] = (float)t;
    CHECK_OK(shoal_frame_create(8, 0.0, &frame));
    CHECK_OK(shoal_frame_add(&frame->points, &(shoal_frame_source){"position", "m", SHOAL_V3, 1, x}));
    CHECK_OK(shoal_frame_add(&frame->points, &(shoal_frame_source){"velocity", "m/s", SHOAL_V3, 1, v}));
    CHECK_OK(shoal_frame_add_cells(frame, corners, corners == 4 ? 6 : 12, corners == 4 ? six : sides));
    if (has_heat) CHECK_OK(shoal_frame_add(&frame->cells, &(shoal_frame_source){"heat", "K", SHOAL_F1, 1, heat}));
    CHECK_OK(shoal_frame_save(frame, path));
    shoal_frame_destroy(frame);
}

static double volumes[8];
static int    volume_count;
static void   note_volume(const shoal_surface_row* row, void* user) {
      (void)user;
      assert_true(fabs(row->particles_m3 - row->mesh_m3) < 1e-6);
      volumes[volume_count++] = row->mesh_m3;
}

static void a_part_that_is_a_mesh_is_its_own_surface(void** state) {
    (void)state;
    const char *      one = scratch_path("particles"), *cube = scratch_path("cube");
    shoal_run_def     run = small_def(one);
    shoal_surface_def def = shoal_surface_def_default();
    char              path[SHOAL_PATH_SIZE];
    run.last = 0;
    CHECK_OK(small_run(&run, NULL, NULL));
    make_folder(one, cube);
    CHECK_OK(shoal_path_make(path, "%s/frames/small_000000.tets.vtu", cube));
    save_cube(4, 0.4f, true, path);
    def.done     = note_volume;
    volume_count = 0;
    CHECK_OK(shoal_surface_run(&def, cube));
    assert_true(volume_count == 1 && fabs(volumes[0] - 0.064) < 1e-7); // no mesher makes it so

    // triangles of the same material are its surface, and the tetrahedra inside are not drawn
    CHECK_OK(shoal_path_make(path, "%s/frames/small_000000.skin.vtp", cube));
    save_cube(3, 0.3f, true, path);
    CHECK_OK(shoal_surface_run(&def, cube));
    assert_true(volume_count == 2 && fabs(volumes[1] - 0.027) < 1e-7);

    shoal_export_def to = shoal_export_def_default();
    to.format           = "obj";
    CHECK_OK(shoal_export(&to, cube));
    CHECK_OK(shoal_path_make(path, "%s/export/small_000000.tets.obj", cube));
    size_t size;
    char*  obj   = content(path, &size);
    int    faces = 0;
    for (size_t k = 0; k + 1 < size; k++) faces += obj[k] == '\n' && obj[k + 1] == 'f';
    assert_int_equal(faces, 12);
    shoal_free(obj);
    to.format = "usda";
    CHECK_OK(shoal_export(&to, cube));
    to.format   = "vdb";
    to.fault    = tell;
    reported[0] = 0;
    assert_int_equal(shoal_export(&to, cube), SHOAL_ERR_INPUT);
    assert_non_null(strstr(reported, "water is a mesh"));
}

// Pixels that differ between two pictures.
static int differing(const shoal_render_image* a, const shoal_render_image* b) {
    int count = 0;
    for (int i = 0; i < a->width * a->height; i++) count += memcmp(a->pixels + 3 * i, b->pixels + 3 * i, 3) != 0;
    return count;
}

static void meshes_are_in_pictures(void** state) {
    (void)state;
    const char *  one = scratch_path("tank"), *cube = scratch_path("box"), *none = scratch_path("empty");
    shoal_run_def run = small_def(one);
    char          path[SHOAL_PATH_SIZE];
    run.last = 0;
    CHECK_OK(small_run(&run, NULL, NULL));
    make_folder(one, cube);
    make_folder(one, none);
    CHECK_OK(shoal_path_make(path, "%s/frames/small_000000.vtu", cube));
    save_cube(4, 0.4f, true, path);
    CHECK_OK(shoal_path_make(path, "%s/frames/small_000000.vtp", none));
    shoal_frame* nobody;
    CHECK_OK(shoal_frame_create(0, 0.0, &nobody));
    CHECK_OK(shoal_frame_add(&nobody->points, &(shoal_frame_source){"position", "m", SHOAL_V3, 1, NULL}));
    CHECK_OK(shoal_frame_save(nobody, path));
    shoal_frame_destroy(nobody);
    for (int is_preview = 0; is_preview < 2; is_preview++) {
        shoal_render_image *with = picture(cube, 0, NULL, is_preview), *without = picture(none, 0, NULL, is_preview),
                           *heat = picture(cube, 0, "heat", is_preview);
        printf("%d pixels of a mesh, %d of its colours\n", differing(with, without), differing(with, heat));
        assert_true(differing(with, without) > 300);
        assert_true(differing(with, heat) > 300);
        shoal_render_image_destroy(with);
        shoal_render_image_destroy(without);
        shoal_render_image_destroy(heat);
    }
    // a skin that lacks the colour gives way to the tetrahedra that have it
    shoal_render_image* before = picture(cube, 0, "heat", true);
    CHECK_OK(shoal_path_make(path, "%s/frames/small_000000.skin.vtp", cube));
    save_cube(3, 0.3f, false, path);
    shoal_render_image *after = picture(cube, 0, "heat", true), *plain = picture(cube, 0, NULL, true);
    assert_int_equal(differing(before, after), 0);
    assert_true(differing(plain, after) > 100);
    shoal_render_image_destroy(before);
    shoal_render_image_destroy(after);
    shoal_render_image_destroy(plain);
}

// ---------------------------------------------------------------------------------- runs of
// earlier builds

static void runs_of_earlier_builds_are_read(void** state) {
    (void)state;
    static const char* const files[] = {
        "run.json", "stats.csv", "probes.csv", "old.pvd", "frames/old_000000.vtp", "frames/old_000001.vtp"};
    const char *folder = scratch_path("old"), *source = getenv("SHOAL_SOURCE");
    char        from[SHOAL_PATH_SIZE], to[SHOAL_PATH_SIZE];
    CHECK_OK(shoal_path_make(to, "%s/frames", folder));
    CHECK_OK(shoal_folder_make(to));
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        CHECK_OK(shoal_path_make(from, "%s/tests/unit/run/earlier/%s", source ? source : ".", files[k]));
        CHECK_OK(shoal_path_make(to, "%s/%s", folder, files[k]));
        copy_file(from, to);
    }
    shoal_surface_def def = shoal_surface_def_default();
    CHECK_OK(shoal_surface_run(&def, folder));
    shoal_render_image_destroy(picture(folder, 1, "pressure", true));
    shoal_export_def out = shoal_export_def_default();
    CHECK_OK(shoal_export(&out, folder));
    char* text;
    CHECK_OK(shoal_path_make(from, "%s/frames/old_000001.vtp", folder));
    CHECK_OK(shoal_describe(from, &text));
    assert_non_null(strstr(text, "particles        48"));
    shoal_bytes_free(text, strlen(text) + 1);
    CHECK_OK(shoal_describe(folder, &text));
    assert_non_null(strstr(text, "frames on disk   2 (0..1)"));
    shoal_bytes_free(text, strlen(text) + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_in_two_parts_are_as_good_as_in_one),
        cmocka_unit_test(a_field_of_one_part_is_painted_there),
        cmocka_unit_test(a_part_that_is_missing_or_damaged_is_reported),
        cmocka_unit_test(a_part_that_is_a_mesh_is_its_own_surface),
        cmocka_unit_test(meshes_are_in_pictures),
        cmocka_unit_test(runs_of_earlier_builds_are_read),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
